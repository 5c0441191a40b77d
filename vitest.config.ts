import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { findPostgres } from './test/support/database/postgres.ts'

const FILES = 'test/**/*.test.ts'
/** These need a browser: npm run test:browser. */
const IN_BROWSER = 'test/browser/**'

/** Tests that start a server or a store do so through test/support: they run on both backends. */
const withDatabase = () =>
  globSync(FILES, { exclude: [IN_BROWSER] }).filter((file) =>
    /from '[^']*\/support\//.test(readFileSync(file, 'utf8')),
  )

const hasPostgres = Boolean(process.env.TEST_DATABASE_URL || findPostgres())
if (!hasPostgres) {
  console.warn(
    'No Postgres here: testing on PGlite only. Install one, or set TEST_DATABASE_URL to a server where databases may be made.',
  )
}

const pglite = {
  extends: true as const,
  test: {
    name: 'pglite',
    include: [FILES],
    exclude: [IN_BROWSER],
    env: { TEST_BACKEND: 'pglite' },
    globalSetup: 'test/support/database/pglite-setup.ts',
  },
}
const postgres = {
  extends: true as const,
  test: {
    name: 'postgres',
    include: withDatabase(),
    env: { TEST_BACKEND: 'postgres' },
    globalSetup: 'test/support/database/postgres-setup.ts',
  },
}

export default defineConfig({
  test: {
    // on a busy machine all is slow: what a test waits for is asked again and again, and comes at once where
    // it can
    testTimeout: 90_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    setupFiles: 'test/support/answers/answers-setup.ts',
    maxWorkers: 2,
    projects: hasPostgres ? [pglite, postgres] : [pglite],
  },
})
