import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { type PoolMode, whyNoPgBouncer } from './test/support/database/pgbouncer.ts'
import { findPostgres } from './test/support/database/postgres.ts'

// compiled code is kept for the hundreds of programs that tests start: each needs 1.6 s of CPU time instead of 2.8
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/compiled', import.meta.url),
)

const FILES = 'test/**/*.test.ts'
/** These take longer than a developer waits before each commit: npm run test:all runs them, too. */
const SLOW = 'test/**/*.slow.test.ts'
/** These need a browser: npm run test:browser. */
const IN_BROWSER = 'test/browser/**'
/** Where versions of Postgres may differ. */
const OF_DATABASE = 'test/{platform/db,engine/backup,gateway/messages/queue}/**/*.test.ts'
/** These need PgBouncer. */
const OF_POOLER = 'test/platform/db/pooler.test.ts'
/** What must go on behind PgBouncer. */
const POOLED = [OF_POOLER, 'test/{engine/realtime,nodes,gateway/messages/queue}/**/*.test.ts']

const hasPostgres = Boolean(process.env.TEST_DATABASE_URL || findPostgres())
if (!hasPostgres) {
  console.warn(
    'No Postgres is installed: testing on the embedded one only. Install one, or set TEST_DATABASE_URL to a server where databases may be made.',
  )
}

const whyNotPooled = findPostgres() ? whyNoPgBouncer() : 'no Postgres is installed'
if (whyNotPooled) console.warn(`Not tested behind PgBouncer: ${whyNotPooled}.`)

const INSTALLED_SETUP = 'test/support/database/postgres15-setup.ts'
const EMBEDDED_SETUP = 'test/support/database/embedded-setup.ts'
/** The program is built once for files that start it often. */
const BUILD_SETUP = 'test/support/server/build-setup.ts'
/** What `npm test` runs: every quick file. */
const quick = {
  extends: true as const,
  test: {
    name: 'quick',
    globalSetup: EMBEDDED_SETUP,
    include: [FILES],
    exclude: [IN_BROWSER, SLOW, OF_POOLER],
    // Four processes run all files, as importing the server takes 1.5 s of CPU time. What a file changes in
    // its process, its hooks must undo.
    isolate: false,
  },
}
/** The slow files. Each process runs many of them, as of the quick ones. */
const slow = {
  extends: true as const,
  test: {
    name: 'slow',
    globalSetup: [EMBEDDED_SETUP, BUILD_SETUP],
    include: [SLOW],
    exclude: [IN_BROWSER],
    isolate: false,
  },
}
/** In either of its modes, before an installed Postgres. */
const pooled = (TEST_POOL_MODE: PoolMode) => ({
  extends: true as const,
  test: {
    name: `pgbouncer-${TEST_POOL_MODE}`,
    include: POOLED,
    // PgBouncer hides from a server that its connections were ended: it notices within a second, not at once
    exclude: TEST_POOL_MODE === 'transaction' ? ['test/nodes/outdated.slow.test.ts'] : [],
    env: { TEST_SERVER: `PGBOUNCER_${TEST_POOL_MODE.toUpperCase()}`, TEST_POOL_MODE },
    globalSetup: [INSTALLED_SETUP, BUILD_SETUP],
  },
})
/** On an installed Postgres, in CI the oldest one that is promised. */
const postgres15 = {
  extends: true as const,
  test: {
    name: 'postgres15',
    include: [OF_DATABASE],
    isolate: false,
    // the last five seal or refuse files, or wait for locks and connections, as on any version; the replica
    // has the installed Postgres in every project
    exclude: [
      'test/platform/db/embedded/**',
      'test/platform/db/replica.slow.test.ts',
      OF_POOLER,
      'test/engine/backup/refusals.slow.test.ts',
      'test/engine/backup/sealed.slow.test.ts',
      'test/platform/db/locked.slow.test.ts',
      'test/platform/db/away.slow.test.ts',
      'test/gateway/messages/queue/deadlocks.slow.test.ts',
    ],
    env: { TEST_SERVER: 'POSTGRES15' },
    globalSetup: [INSTALLED_SETUP, BUILD_SETUP],
  },
}

export default defineConfig({
  test: {
    // on a busy machine all is slow: what a test waits for is asked again and again, and comes at once where
    // it can
    globals: true,
    testTimeout: 90_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // on two cores, too: many tests wait for timers. A process runs files of one project; all projects are in
    // one group, so that no process waits for the last file of another project
    maxWorkers: 4,
    setupFiles: 'test/support/each-file.ts',
    reporters: ['default', './test/support/slowest-files.ts'],
    projects: [
      quick,
      slow,
      ...(hasPostgres ? [postgres15] : []),
      ...(whyNotPooled ? [] : [pooled('session'), pooled('transaction')]),
    ],
  },
})
