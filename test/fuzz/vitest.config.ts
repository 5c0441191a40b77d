import { defineConfig } from 'vitest/config'

/** Asks every route of the OpenAPI document with values of Schemathesis: `npm run test:fuzz`. */
export default defineConfig({
  test: {
    name: 'fuzz',
    root: `${import.meta.dirname}/../..`,
    include: ['test/fuzz/*.run.ts'],
    globals: true,
    globalSetup: 'test/support/database/embedded-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 14_400_000,
    hookTimeout: 180_000,
  },
})
