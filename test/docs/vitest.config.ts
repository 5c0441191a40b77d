import { defineConfig } from 'vitest/config'

/** Every block of README and docs, run as a reader does: minutes, so not a part of `npm test`. */
export default defineConfig({
  test: { root: import.meta.dirname, include: ['pages.run.ts'], pool: 'forks', maxWorkers: 2 },
})
