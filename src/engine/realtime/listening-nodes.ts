import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { loadCurrentSnapshot } from './snapshot.ts'

/** A node's registration that is not renewed for this long is deleted. */
export const FORGOTTEN_SECONDS = 60

/** Intervals at which a new listener looks for transactions that began before its registration. */
const [STEP_MS, MAX_STEP_MS] = [5, 500]

const XID = sql<string>`pg_current_xact_id()::text`

/** SQL of what a node ignores after two calls, in whichever order they run. */
const ignoreBoth = (ignored: readonly string[]) =>
  sql<
    string[]
  >`array(select unnest(_listeners.ignored) intersect select unnest(${ignored}::text[]))`

/** Resolves when the transactions that began before a node's registration have ended, or the node has. */
interface Settling {
  readonly settled: Promise<void>
}

/**
 * Registers a node as a listener: changes are logged from now on, except in collections that all nodes
 * ignore.
 */
export async function registerNode(
  db: Db,
  node: string,
  ignored: readonly string[],
  isOver: () => boolean = () => false,
): Promise<Settling> {
  const { xid } = await queries(db)
    .insertInto('_listeners')
    .values({ node, ignored: [...ignored] })
    .onConflict((found) =>
      found.column('node').doUpdateSet({ seen: sql<Date>`now()`, ignored: ignoreBoth(ignored) }),
    )
    .returning(XID.as('xid'))
    .executeTakeFirstOrThrow()
  return { settled: awaitEarlierTransactions(db, Number(xid), isOver).catch(() => {}) }
}

/**
 * Has changes logged for a node in all collections but these. Does nothing when the node is not registered:
 * the next read finds that out.
 */
export async function listenToMore(
  db: Db,
  node: string,
  ignored: readonly string[],
  isOver: () => boolean,
): Promise<Settling> {
  const heard = await queries(db)
    .updateTable('_listeners')
    .set({ seen: sql<Date>`now()`, ignored: ignoreBoth(ignored) })
    .where('node', '=', node)
    .returning(XID.as('xid'))
    .executeTakeFirst()
  const settled = heard && awaitEarlierTransactions(db, Number(heard.xid), isOver).catch(() => {})
  return { settled: Promise.resolve(settled) }
}

async function awaitEarlierTransactions(db: Db, xid: number, isOver: () => boolean): Promise<void> {
  for (let stepMs = STEP_MS; !isOver(); stepMs = Math.min(2 * stepMs, MAX_STEP_MS)) {
    if (await haveEarlierTransactionsEnded(db, xid)) return
    await sleep(stepMs)
  }
}

/** Whether all transactions before this one have ended: those of this database, and prepared ones. */
async function haveEarlierTransactionsEnded(db: Db, xid: number): Promise<boolean> {
  if ((await loadCurrentSnapshot(db)).xmin > xid) return true
  // a snapshot names the transactions of all databases
  const isOpen = sql<boolean>`exists (
    select from pg_locks l left join pg_stat_activity a using (pid)
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock'
      and (a.pid is null or a.datname = current_database())
      and age(l.transactionid) > age(${String(xid)}::text::xid8::xid))`
  return !(await evaluateSql(db, isOpen))
}

/** Whether a node is registered: a crash of Postgres and a failover empty the table. */
export const isRegistered = (node: string) =>
  sql<boolean>`exists (select from _listeners l where l.node = ${node})`

/** Renews a node's registration, if there is one. */
export async function renewNode(db: Db, node: string): Promise<void> {
  await queries(db)
    .updateTable('_listeners')
    .set({ seen: sql<Date>`now()` })
    .where('node', '=', node)
    .execute()
}

export async function unregisterNode(db: Db, node: string): Promise<void> {
  await queries(db).deleteFrom('_listeners').where('node', '=', node).execute()
}
