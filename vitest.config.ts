import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { findPostgres } from './test/support/database/postgres.ts'

const FILES = 'test/**/*.test.ts'
/** These take longer than a developer waits before each commit: npm run test:all runs them, too. */
const SLOW = 'test/**/*.slow.test.ts'
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

// a process runs files of one project only, so projects run one after the other: groupOrder
const onPglite = {
  env: { TEST_BACKEND: 'pglite' },
  globalSetup: 'test/support/database/pglite-setup.ts',
}
/** What `npm test` runs: every quick file. */
const pglite = {
  extends: true as const,
  test: {
    ...onPglite,
    name: 'pglite',
    include: [FILES],
    exclude: [IN_BROWSER, SLOW],
    // Two processes run all files, as importing the server takes 1.5 s of CPU time. What a file changes in
    // its process, its hooks must undo.
    isolate: false,
    // most databases live too short for V8 to optimize PGlite: to start one took twice the CPU time
    execArgv: ['--liftoff-only'],
  },
}
/** Slow files of a protocol or a program, to which either backend is the same: on Postgres, if it is here. */
const OF_EITHER_BACKEND = [
  'test/agent/agent.slow.test.ts',
  'test/alarms/server.slow.test.ts',
  'test/backup-api/{api,schedule}.slow.test.ts',
  'test/demo/demo.slow.test.ts',
  'test/notifications/push.slow.test.ts',
  'test/realtime/{access,limits}.slow.test.ts',
  'test/smsgate/{bursts,handed,journey}.slow.test.ts',
  'test/transfer/{installation,values}.slow.test.ts',
]
/** The slow files, each in a process of its own. */
const pgliteSlow = {
  extends: true as const,
  test: {
    ...onPglite,
    name: 'pglite-slow',
    include: [SLOW],
    exclude: hasPostgres ? OF_EITHER_BACKEND : [],
    sequence: { groupOrder: 1 },
  },
}
/** Every file that uses a database. */
const postgres = {
  extends: true as const,
  test: {
    name: 'postgres',
    include: withDatabase(),
    env: { TEST_BACKEND: 'postgres' },
    globalSetup: 'test/support/database/postgres-setup.ts',
    sequence: { groupOrder: 2 },
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
    maxWorkers: 2,
    setupFiles: 'test/support/each-file.ts',
    reporters: ['default', './test/support/slowest-files.ts'],
    projects: [pglite, pgliteSlow, ...(hasPostgres ? [postgres] : [])],
  },
})
