import type { Store } from '../../collections/catalog.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/open.ts'
import { quoted } from '../../db/partitions/make-like.ts'
import { type Month, monthAfter, partitionOf, startOf } from '../../db/partitions/names.ts'
import { withShortLocks } from '../../db/partitions/short-locks.ts'
import { type Partition, partitionsOf } from '../../db/partitions/state.ts'
import type { Extensions } from '../../records/extension.ts'
import { forgetMonths } from './forget.ts'
import { MONTHLY_TABLES } from './partition.ts'
import { retireMonth } from './retire.ts'

const CUT = `select pb_text(now() - make_interval(days => $1))`

/**
 * Takes away whole months of messages that ended more than so many days ago. What has to stay of one is left
 * to be deleted one by one, as are the messages from before there were partitions. Does nothing on plain
 * tables, or while another node is at it.
 * @param blank takes texts and numbers out of the month's messages that have a reference, which stay
 */
export async function endOldMonths(
  store: Store,
  extensions: Extensions,
  days: number,
  blank: (from: string, to: string) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const { db } = store
  if (db.kind !== 'postgres' || (await partitionsOf(db, 'sms_messages')).length === 0) return
  await db.transaction(async (tx) => {
    const { rows } = await tx.query('select pg_try_advisory_xact_lock($1)', [LOCKS.retention])
    if (rows[0]![0] !== true) return
    await forgetMonths(store, extensions, signal)
    const cut = String((await db.query(CUT, [days])).rows[0]![0])
    for (const month of dueMonths(await partitionsOf(db, 'sms_messages'), cut)) {
      if (signal?.aborted) return
      await blank(startOf(month), startOf(monthAfter(month)))
      if (signal?.aborted) return
      const partitions = new Set((await partitionsOf(db, ...MONTHLY_TABLES)).map(({ name }) => name))
      await retireMonth(db, month, cut, partitions)
      await forgetMonths(store, extensions, signal)
    }
    await dropEmptyMonths(db)
  })
}

/** The months that end before `cut` and have not been retired, the oldest first. */
function dueMonths(partitions: readonly Partition[], cut: string): Month[] {
  return partitions
    .filter(({ end, hasBeginning }) => end !== undefined && hasBeginning && end <= cut)
    .map(({ name, end }) => ({ name, month: monthAfter(end!.slice(0, 7), -1) }))
    .filter(({ name, month }) => name === partitionOf('sms_messages', month))
    .map(({ month }) => month)
    .sort()
}

/** Drops what stayed of retired months once it has gone, too. */
async function dropEmptyMonths(db: Db): Promise<void> {
  for (const { table, name } of await partitionsOf(db, ...MONTHLY_TABLES)) {
    if (!name.endsWith('_kept') || !(await isEmpty(db, name))) continue
    await withShortLocks(db, async (tx) => {
      await tx.script(`lock table only ${quoted(table)} in access exclusive mode`)
      if (await isEmpty(tx, name)) await tx.script(`drop table ${quoted(name)}`)
    })
  }
}

const isEmpty = async (db: Db, table: string) =>
  (await db.query(`select exists (select from ${quoted(table)})`)).rows[0]![0] === false
