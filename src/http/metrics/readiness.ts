import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import type { CatalogStore } from '../../engine/collections/catalog-store.ts'
import { DatabaseUnavailable, serverFaults } from '../../platform/db/database-errors.ts'
import { isMigrated } from '../../platform/db/schema/migrate.ts'
import type { WorkerMember } from '../../platform/jobs/worker-member.ts'
import { WORKER_STATE } from '../../platform/jobs/worker-messages.ts'
import { limitTime } from '../../platform/tools/deadline.ts'
import { memoize } from '../../platform/tools/lru.ts'
import { cacheQuery } from '../../platform/tools/shared-query.ts'
import { loadQueueDepth, type Queue } from './queue-depth.ts'

/** The answer to a readiness probe. `queue` is for people: a long one does not make the server unready. */
export const READINESS = z
  .object({
    ready: z.boolean(),
    serving: z.boolean().describe('False once the server is stopping.'),
    database: z.object({
      reachable: z.boolean(),
      migrated: z.boolean(),
      writable: z
        .boolean()
        .describe(
          'False while it refuses writes, as of a full disk or lost files: nothing can be accepted then.',
        ),
      listening: z
        .boolean()
        .describe(
          'False behind a pooler in transaction mode: changes of other servers are late or not seen then.',
        ),
    }),
    queue: z
      .object({ due: z.int().min(0), oldest_seconds: z.number().min(0) })
      .nullable()
      .describe(
        'Messages that a device should have by now, and how long the oldest of them waits.',
      ),
    replica: z
      .object({
        state: z.enum(['used', 'late', 'away', 'unfit']),
        lag_bytes: z.number().min(0).nullable(),
      })
      .optional()
      .describe('The replica that `DATABASE_REPLICA_URL` names.'),
    reason: z
      .string()
      .optional()
      .describe(
        'Why this server does no work: a backup is being restored, or a newer version has migrated the database.',
      ),
    workers: z
      .array(WORKER_STATE)
      .optional()
      .describe('All workers behind the port, where `WORKERS` makes several.'),
  })
  .meta({ id: 'Readiness' })
export type Readiness = Readonly<z.output<typeof READINESS>>

type Known = Pick<Readiness, 'database' | 'queue' | 'replica'>

const KEEP_MS = 1_000
const PATIENCE_MS = 2_000

const AWAY: Known = {
  database: { reachable: false, migrated: false, writable: false, listening: false },
  queue: null,
}

interface Serving {
  readonly store: CatalogStore
  readonly stopping: AbortSignal
  readonly workers: WorkerMember | undefined
}

/** Whether this server takes requests: it is not stopping; its database is reachable, migrated, writable. */
export const makeReadinessProbe = memoize((services: Serving): (() => Promise<Readiness>) => {
  const { stopping, workers } = services
  const store = services.store.forEverybody('metrics')
  const isWritable = makeWriteCheck(store)
  const look = cacheQuery(() => limitTime(readReadiness(store, isWritable), PATIENCE_MS), KEEP_MS)
  return async () => {
    const known = await look().catch(() => AWAY)
    const serving = !stopping.aborted
    const { reachable, migrated, writable } = known.database
    const ready = serving && reachable && migrated && writable
    return { ready, serving, ...known, ...(workers && { workers: [...workers.states()] }) }
  }
})

/** Writes to new blocks of the database's disk. The end of the connection removes the table. */
const PROBE = 'create temporary table _probe as select generate_series(1, 20000)'

/**
 * Whether the database accepts writes. After a fault of its server, tests with a write until one succeeds,
 * each on a new connection: open ones may work without files that new ones need.
 */
function makeWriteCheck({ db }: Store): () => Promise<boolean> {
  let seen = serverFaults.count
  let running: Promise<boolean> | undefined
  const write = async () => {
    const { count } = serverFaults
    try {
      await db.unhurried(PROBE)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return false
    }
    seen = count
    return true
  }
  return async () => {
    if (serverFaults.count === seen) return true
    // a disk that hangs may keep a write for longer than a probe of readiness waits
    running ??= write().finally(() => {
      running = undefined
    })
    return running
  }
}

async function readReadiness(store: Store, isWritable: () => Promise<boolean>): Promise<Known> {
  const migrated = await isMigrated(store.db)
  const queue = migrated ? sumDueMessages(await loadQueueDepth(store)) : null
  const lag = await store.db.replica?.lag()
  const replica = lag && { state: lag.state, lag_bytes: lag.bytes }
  return {
    database: {
      reachable: true,
      migrated,
      writable: await isWritable(),
      listening: store.db.hears,
    },
    queue,
    ...(replica && { replica }),
  }
}

/** Due messages that no device has fetched yet. Messages in `sending` are left out. */
function sumDueMessages({ pending, assigned }: Queue): Readiness['queue'] {
  const oldest = Math.max(pending.oldestSeconds, assigned.oldestSeconds)
  return { due: pending.due + assigned.due, oldest_seconds: Math.round(oldest * 1000) / 1000 }
}
