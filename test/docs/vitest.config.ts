import { defineConfig } from 'vitest/config'

/** README and docs, run as a reader does: minutes, so not a part of `npm test`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.run.ts'],
    globalSetup: '../support/database/embedded-setup.ts',
    setupFiles: '../support/each-file.ts',
    globals: true,
    testTimeout: 90_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
