import { defineConfig } from 'vitest/config'

/**
 * Searches for texts that keep the event loop too long: `npm run test:parsers`. It measures processor time.
 * So it runs on an idle machine, one file after the other, and not with the other tests.
 */
export default defineConfig({
  test: {
    name: 'parsers',
    root: `${import.meta.dirname}/../..`,
    include: ['test/parsers/*.run.ts'],
    globals: true,
    globalSetup: 'test/support/database/embedded-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 180_000,
  },
})
