import { defineConfig } from 'vitest/config'

/** Runs programs of others with the settings of their pages: `npm run test:programs`. */
export default defineConfig({
  test: {
    name: 'programs',
    root: `${import.meta.dirname}/../../..`,
    include: ['test/third-party/programs/*.run.ts'],
    globals: true,
    globalSetup: 'test/support/database/embedded-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 180_000,
  },
})
