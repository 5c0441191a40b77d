import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { readCurrentSnapshot } from './snapshot.ts'

/** A node's registration that is not renewed for this long is deleted. */
export const FORGOTTEN_SECONDS = 60

/** Intervals at which a new listener looks for transactions that began before its registration. */
const [STEP_MS, MAX_STEP_MS] = [5, 500]

/**
 * Registers a node as a listener: changes are logged from now on, except in collections that all nodes
 * ignore. `settled` resolves when earlier transactions have ended, or `isOver` returns true.
 */
export async function registerNode(
  db: Db,
  node: string,
  ignored: readonly string[],
  isOver: () => boolean = () => false,
): Promise<{ settled: Promise<void> }> {
  const { xid } = await queries(db)
    .insertInto('_listeners')
    .values({ node, ignored: [...ignored] })
    .onConflict((found) =>
      found.column('node').doUpdateSet({
        seen: sql<Date>`now()`,
        // whichever of two calls comes last
        ignored: sql<
          string[]
        >`array(select unnest(_listeners.ignored) intersect select unnest(excluded.ignored))`,
      }),
    )
    .returning(sql<string>`pg_current_xact_id()::text`.as('xid'))
    .executeTakeFirstOrThrow()
  return { settled: awaitEarlierNodes(db, Number(xid), isOver).catch(() => {}) }
}

async function awaitEarlierNodes(db: Db, xid: number, isOver: () => boolean): Promise<void> {
  for (let stepMs = STEP_MS; !isOver(); stepMs = Math.min(2 * stepMs, MAX_STEP_MS)) {
    if (await haveEarlierNodesEnded(db, xid)) return
    await sleep(stepMs)
  }
}

/** Whether all transactions before this one have ended: those of this database, and prepared ones. */
async function haveEarlierNodesEnded(db: Db, xid: number): Promise<boolean> {
  if ((await readCurrentSnapshot(db)).xmin > xid) return true
  // a snapshot names the transactions of all databases
  const isOpen = sql<boolean>`exists (
    select from pg_locks l left join pg_stat_activity a using (pid)
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock'
      and (a.pid is null or a.datname = current_database())
      and age(l.transactionid) > age(${String(xid)}::text::xid8::xid))`
  return !(await evaluateSql(db, isOpen))
}

/** Renews a node's registration. Returns false if it was deleted: changes since then may not be logged. */
export async function renewNode(db: Db, node: string): Promise<boolean> {
  const { numUpdatedRows } = await queries(db)
    .updateTable('_listeners')
    .set({ seen: sql<Date>`now()` })
    .where('node', '=', node)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function unregisterNode(db: Db, node: string): Promise<void> {
  await queries(db).deleteFrom('_listeners').where('node', '=', node).execute()
}
