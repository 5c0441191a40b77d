import { defineConfig } from 'vitest/config'

/** Compiles clients that generators make from the OpenAPI document: `npm run test:generators`. */
export default defineConfig({
  test: {
    name: 'generators',
    root: `${import.meta.dirname}/../..`,
    include: ['test/generators/*.run.ts'],
    globals: true,
    globalSetup: 'test/support/database/embedded-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 180_000,
  },
})
