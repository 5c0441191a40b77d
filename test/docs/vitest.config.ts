import { defineConfig } from 'vitest/config'

/** Half of the pages, beside the rest of them in another process. */
const pages = (HALF: '0' | '1') => ({
  extends: true as const,
  test: { name: `pages-${HALF}`, include: ['pages.run.ts'], env: { HALF } },
})

/** README and docs, run as a reader does: minutes, so not a part of `npm test`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    setupFiles: '../support/each-file.ts',
    globals: true,
    testTimeout: 90_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // what is not pages mostly waits
    maxWorkers: 3,
    projects: [
      pages('0'),
      pages('1'),
      {
        extends: true,
        test: {
          name: 'others',
          include: ['*.run.ts'],
          exclude: ['pages.run.ts'],
          globalSetup: '../support/database/embedded-setup.ts',
        },
      },
    ],
  },
})
