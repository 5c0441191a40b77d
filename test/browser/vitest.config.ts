import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'browser',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: './ready.ts',
    globals: true,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } }, // as long as the browser waits for an element
    fileParallelism: false, // a browser and a server each: two at once are slower than one after the other
  },
})
