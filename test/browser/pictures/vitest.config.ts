import { defineConfig } from 'vitest/config'

/** Makes the pictures of the docs, and the film of README: `npm run pictures`. */
export default defineConfig({
  test: {
    name: 'pictures',
    root: import.meta.dirname,
    include: ['*.run.ts'],
    globals: true,
    globalSetup: '../ready.ts',
    testTimeout: 120_000,
  },
})
