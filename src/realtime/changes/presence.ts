import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { currentSnapshot, type Snapshot } from './change-log.ts'

/** A node that did not renew its registration for this long is deleted. Changes are not logged for it. */
const FORGOTTEN_SECONDS = 60
/** How long a new listener waits for transactions that began before its registration. */
const PATIENCE_MS = 1_000
const STEP_MS = 5

/**
 * Registers a node as a listener: changes are logged from now on. `settled` resolves when all transactions
 * have ended that began before, or after PATIENCE_MS.
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

/** Renews a node's registration. False when it was deleted: changes since then may be lost. */
export async function renewNode(db: Db, node: string): Promise<boolean> {
  const { count } = await db.query('update _listeners set seen = now() where node = $1', [node])
  return count > 0
}

/** Whether a node listens. */
export async function isNodeRegistered(db: Db, node: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from _listeners where node = $1', [node])
  return rows.length > 0
}

/** Deletes a node's registration. */
export async function unregisterNode(db: Db, node: string): Promise<void> {
  await db.query('delete from _listeners where node = $1', [node])
}

/** Deletes nodes that stopped without unregistering. */
async function deleteSilentNodes(db: Db): Promise<void> {
  await db.query(`delete from _listeners where seen < now() - make_interval(secs => $1)`, [FORGOTTEN_SECONDS])
}

/**
 * Makes a function that deletes the changes that existed at its previous run: every node has read them, or
 * restarts (see ChangeFeed). Also deletes dead nodes and old forwarded requests.
 */
export function changesCleanUp(store: Store): () => Promise<void> {
  let last: Snapshot | undefined
  return async () => {
    const { db } = store
    if (last) await db.query('delete from _changes where xid < $1::text::xid8', [String(last.xmin)])
    last = await currentSnapshot(db)
    await deleteSilentNodes(db)
    await db.query(`delete from _subscribing where at < now() - interval '1 minute'`)
  }
}
