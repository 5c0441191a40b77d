import { defineConfig } from 'vitest/config'

/** Makes the pictures of docs/console.md and its translations: `npm run pictures`. */
export default defineConfig({
  test: {
    name: 'pictures',
    root: import.meta.dirname,
    include: ['pictures.run.ts'],
    globalSetup: '../ready.ts',
    testTimeout: 120_000,
  },
})
