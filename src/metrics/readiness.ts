import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { DatabaseUnavailable, refusedWrites } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { inSeconds, queries } from '../db/queries.ts'
import { missingMigrations } from '../db/schema/migrate.ts'
import { IS_LOW } from '../sms/devices/health.ts'
import { within } from '../tools/deadline.ts'
import { cachedQuery } from '../tools/shared-query.ts'
import { WORKER_STATE, type WorkerMember } from '../work/processes.ts'

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
        .describe('False while it refuses writes, as of a full disk: nothing can be accepted then.'),
      listening: z
        .boolean()
        .describe(
          'False behind a pooler in transaction mode: changes of other servers are late or not seen then.',
        ),
    }),
    queue: z
      .object({ due: z.int().min(0), oldest_seconds: z.number().min(0) })
      .nullable()
      .describe('Messages that a device should have by now, and how long the oldest of them waits.'),
    replica: z
      .object({ state: z.enum(['used', 'late', 'away', 'unfit']), lag_bytes: z.number().min(0).nullable() })
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

/** Whether this server takes requests: it is not stopping; its database is reachable, migrated, writable. */
export function readinessOf(
  store: Store,
  stopping: AbortSignal,
  workers?: WorkerMember,
): () => Promise<Readiness> {
  const isWritable = writability(store)
  const look = cachedQuery(() => within(ask(store, isWritable), PATIENCE_MS), KEEP_MS)
  return async () => {
    const known = await look().catch(() => AWAY)
    const serving = !stopping.aborted
    const { reachable, migrated, writable } = known.database
    const ready = serving && reachable && migrated && writable
    return { ready, serving, ...known, ...(workers && { workers: [...workers.states()] }) }
  }
}

/** Writes to new blocks of the database's disk. The commit removes the table. */
const PROBE = 'create temporary table _probe on commit drop as select generate_series(1, 20000)'

/** Whether the database accepts writes. After a refused write, tests with a write until one succeeds. */
function writability({ db }: Store): () => Promise<boolean> {
  let seen = refusedWrites.count
  return async () => {
    const { count } = refusedWrites
    if (count === seen) return true
    try {
      await db.transaction((tx) => tx.script(PROBE))
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return false
    }
    seen = count
    return true
  }
}

async function ask(store: Store, isWritable: () => Promise<boolean>): Promise<Known> {
  const migrated = (await missingMigrations(store.db)).length === 0
  const queue = migrated ? dueOf(await readQueue(store)) : null
  const lag = await store.db.replica?.lag()
  const replica = lag && { state: lag.state, lag_bytes: lag.bytes }
  return {
    database: { reachable: true, migrated, writable: await isWritable(), listening: store.db.hears },
    queue,
    ...(replica && { replica }),
  }
}

/** Due messages that no device has fetched yet. Messages in `sending` are left out. */
function dueOf({ pending, assigned }: Queue): Readiness['queue'] {
  const oldest = Math.max(pending.oldestSeconds, assigned.oldestSeconds)
  return { due: pending.due + assigned.due, oldest_seconds: Math.round(oldest * 1000) / 1000 }
}

/** Counts the queue by state. It holds only unfinished messages: 10,000 take 2 ms, a million take 0.2 s. */
const readDepths = (db: Db) =>
  queries(db)
    .selectFrom(({ selectFrom }) =>
      selectFrom('sms_dispatch')
        .select([
          sql<'pending' | 'assigned' | 'sending'>`state`.as('state'),
          sql<Date>`greatest(queued_at, due_at)`.as('since'),
          sql<boolean>`due_at is null or due_at <= now()`.as('is_due'),
        ])
        .as('d'),
    )
    .select(({ fn }) => [
      'state',
      fn.countAll<number>().as('messages'),
      fn.countAll<number>().filterWhere('is_due', '=', true).as('due'),
      // how long the oldest due message has waited, since it was both queued and due; 0 if none is due
      sql<number>`greatest(0, coalesce(extract(epoch from now() - min(since) filter (where is_due)), 0))::float8`.as(
        'oldestSeconds',
      ),
    ])
    .groupBy('state')
    .execute()

type Depths = Awaited<ReturnType<typeof readDepths>>[number]
export type Depth = Omit<Depths, 'state'>
export type Queue = Readonly<Record<Depths['state'], Depth>>

const EMPTY: Depth = { messages: 0, due: 0, oldestSeconds: 0 }

/** Unfinished messages by state. Throws DatabaseUnavailable. */
export async function readQueue({ db }: Store): Promise<Queue> {
  const depths = (await readDepths(db)).map(({ state, ...depth }) => [state, depth])
  return { pending: EMPTY, assigned: EMPTY, sending: EMPTY, ...Object.fromEntries(depths) }
}

const NONE: Readonly<Record<string, number>> = { online: 0, asleep: 0, silent: 0, disabled: 0 }

/** The number of enabled devices with a low battery. Throws DatabaseUnavailable. */
export async function countLowBatteries({ db }: Store): Promise<number> {
  const { low } = await queries(db)
    .selectFrom('device_batteries as b')
    .innerJoin('devices as d', 'd.id', 'b.device')
    .select(({ fn }) => fn.countAll<number>().as('low'))
    .where('d.enabled', '=', true)
    .where(sql<boolean>`${sql.raw(IS_LOW)}`)
    .executeTakeFirstOrThrow()
  return low
}

/** Counts the devices of all accounts, by state. Throws DatabaseUnavailable. */
export async function readDevices({ db }: Store, deviceOnlineSeconds: number): Promise<typeof NONE> {
  const since = sql`(select pb_text(${inSeconds(-deviceOnlineSeconds)}))`
  const states = await queries(db)
    .selectFrom('devices')
    .select(({ fn }) => [
      sql<string>`case when not enabled then 'disabled' when last_seen >= ${since} then 'online'
        when pb_is_set(push) then 'asleep' else 'silent' end`.as('state'),
      fn.countAll<number>().as('devices'),
    ])
    .groupBy('state')
    .execute()
  return { ...NONE, ...Object.fromEntries(states.map(({ state, devices }) => [state, devices])) }
}

export interface Disk {
  readonly free: number
  readonly total: number
}

/** Operators are warned when the free space of the disk is below either limit. */
const LEAST = { bytes: 1 << 30, share: 0.1 } as const

/** The disk of the embedded database; undefined for another database, whose disk the server does not see. */
export async function readDisk({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>) {
  if (databaseUrl) return undefined
  const { bavail, blocks, bsize } = await statfs(dataDir)
  return { free: bavail * bsize, total: blocks * bsize } satisfies Disk
}

/** A warning for operators; undefined while there is room. */
export function diskWarning({ free, total }: Disk): string | undefined {
  if (free >= LEAST.bytes && free >= total * LEAST.share) return undefined
  const percent = Math.floor((free / total) * 100)
  const room = `${Math.floor(free / 1_048_576)} MiB (${percent} %)`
  return `The disk of the database has ${room} left. When it is full, nothing can be sent or received.`
}
