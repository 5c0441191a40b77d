import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../db/open.ts'

/**
 * A node that has not been heard of for that long is forgotten, and what changes is no longer noted for it.
 */
const FORGOTTEN_SECONDS = 60
/** How long a new listener waits for transactions that began before they could know of it. */
const PATIENCE_MS = 1_000
const STEP_MS = 5

/**
 * Notes a node as a listener: from now on all changes are noted. The promise in the answer is fulfilled when
 * no transaction is left that began before it could know, or when that takes too long.
 */
export async function registerNode(db: Db, node: string): Promise<{ settled: Promise<void> }> {
  const { rows } = await db.query(
    `insert into _listeners (node) values ($1) on conflict (node) do update set seen = now()
     returning pg_current_xact_id()::text`,
    [node],
  )
  return { settled: settle(db, Number(rows[0]![0])) }
}

async function settle(db: Db, xid: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const { rows } = await db.query('select pg_snapshot_xmin(pg_current_snapshot())::text')
    if (Number(rows[0]![0]) > xid || performance.now() > end) return
    await sleep(STEP_MS)
  }
}

/** Says that a node still listens. False when it was forgotten: what changed meanwhile is lost to it. */
export async function renewNode(db: Db, node: string): Promise<boolean> {
  const { count } = await db.query('update _listeners set seen = now() where node = $1', [node])
  return count > 0
}

/** True for a node that listens. */
export async function isNodeRegistered(db: Db, node: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from _listeners where node = $1', [node])
  return rows.length > 0
}

/** Ends a node's listening. */
export async function unregisterNode(db: Db, node: string): Promise<void> {
  await db.query('delete from _listeners where node = $1', [node])
}

/** Forgets nodes that are gone without a word. */
export async function deleteSilentNodes(db: Db): Promise<void> {
  await db.query(`delete from _listeners where seen < now() - make_interval(secs => $1)`, [FORGOTTEN_SECONDS])
}
