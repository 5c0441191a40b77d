import { defineConfig } from 'vitest/config'

/** Builds the image and runs both Compose files, with podman: `npm run test:image`. */
export default defineConfig({
  test: {
    name: 'image',
    root: `${import.meta.dirname}/../../..`,
    include: ['test/deploy/image/*.run.ts'],
    globals: true,
    globalSetup: 'test/deploy/image/build-images.ts',
    setupFiles: 'test/support/each-file.ts',
    pool: 'forks',
    // both files publish port 8090
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
