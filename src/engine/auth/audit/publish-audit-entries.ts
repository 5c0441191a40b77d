import { sql } from 'kysely'
import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries, tryAcquireLock } from '../../../platform/db/queries.ts'
import { findAuditEntries, type LoggedEntry, SUPERUSERS_LOG } from './audit-entries.ts'

const BATCH = 1_000

export interface NumberedEntry extends LoggedEntry {
  /** Its number in its log, in which no number is left out. */
  readonly number: number
}

export type PublishEntries = (tx: Db, entries: readonly NumberedEntry[]) => Promise<void>

interface QueuedEntry {
  readonly account: string
  readonly entry: string
}

/** Gives all committed entries their numbers and publishes them, on one server at a time. */
export async function publishAuditEntries(db: Db, publish?: PublishEntries): Promise<void> {
  while ((await isAnyQueued(db)) && (await db.transaction((tx) => publishBatch(tx, publish))));
}

const isAnyQueued = async (db: Db): Promise<boolean> =>
  (await queries(db).selectFrom('_audit_queue').select('position').limit(1).executeTakeFirst()) !==
  undefined

/** Publishes the entries that have waited longest. Returns false if another server publishes. */
async function publishBatch(tx: Db, publish: PublishEntries | undefined): Promise<boolean> {
  if (!(await tryAcquireLock(tx, LOCKS.auditEntries))) return false
  const queued = await takeQueued(tx)
  const numbered = await giveNumbers(tx, queued)
  await publish?.(tx, await loadNumbered(tx, numbered))
  return true
}

const takeQueued = async (tx: Db): Promise<QueuedEntry[]> => {
  const taken = await queries(tx)
    .deleteFrom('_audit_queue')
    .where('position', 'in', ({ selectFrom }) =>
      selectFrom('_audit_queue').select('position').orderBy('position').limit(BATCH),
    )
    .returning(['position', 'account', 'entry'])
    .execute()
  return taken.toSorted((a, b) => a.position - b.position)
}

type Numbered = QueuedEntry & { readonly number: number }

/** Stores the next numbers of the logs. Deleted entries get one, too, so that the doctor names them. */
async function giveNumbers(tx: Db, queued: readonly QueuedEntry[]): Promise<Numbered[]> {
  const next = new Map<string, number>()
  for (const [account, { length }] of countByAccount(queued)) {
    const { last } = await extendLog(tx, account, length)
    next.set(account, last - length + 1)
  }
  const numbered = queued.map(({ account, entry }) => {
    const number = next.get(account)!
    next.set(account, number + 1)
    return { account, entry, number }
  })
  await queries(tx)
    .insertInto('_audit_numbers')
    .columns(['account', 'number', 'entry'])
    .expression(({ selectFrom }) => {
      const rows = sql<Numbered>`json_to_recordset(${JSON.stringify(numbered)}::json)`
      return selectFrom(rows.as<'n'>(sql`n(account text, number bigint, entry text)`)).select([
        'n.account',
        'n.number',
        'n.entry',
      ])
    })
    .execute()
  return numbered
}

const countByAccount = (queued: readonly QueuedEntry[]) =>
  Map.groupBy(queued, ({ account }) => account)

/** Moves the last number of a log. Numbers that are stored already are never given again. */
const extendLog = (tx: Db, account: string, count: number) => {
  const stored = sql<number>`(select coalesce(max(number), 0) from _audit_numbers where account = ${account})`
  return queries(tx)
    .insertInto('_audit_logs')
    .values({ account, last_number: sql`${stored} + ${count}` })
    .onConflict((known) =>
      known
        .column('account')
        .doUpdateSet({ last_number: sql`greatest(_audit_logs.last_number, ${stored}) + ${count}` }),
    )
    .returning('last_number as last')
    .executeTakeFirstOrThrow()
}

/** The entries with their numbers. Leaves out those that were deleted meanwhile. */
async function loadNumbered(tx: Db, numbered: readonly Numbered[]): Promise<NumberedEntry[]> {
  const find = (isOfSuperusers: boolean) => {
    const asked = numbered.filter(({ account }) => (account === SUPERUSERS_LOG) === isOfSuperusers)
    return findAuditEntries(
      tx,
      isOfSuperusers,
      asked.map(({ entry }) => entry),
    )
  }
  const found = new Map([...(await find(true)), ...(await find(false))])
  return numbered.flatMap(({ entry, number }) => {
    const known = found.get(entry)
    return known ? [{ ...known, number }] : []
  })
}
