import { sql } from 'kysely'
import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db } from '../../../platform/db/open.ts'
import { acquireLock, matchAny, queries, tryAcquireLock } from '../../../platform/db/queries.ts'
import { SUPERUSERS_LOG } from './audit-entries.ts'

const LOGS_PER_RUN = 10_000
const ENTRIES_PER_BATCH = 1_000

/**
 * Deletes entries older than `days` from the beginning of each log, and stores the first number that is kept;
 * 0 keeps all.
 */
export async function deleteOldAuditEntries(db: Db, days: number): Promise<void> {
  if (days === 0) return
  const { before } = await queries(db)
    .selectNoFrom(sql<string>`pb_text(now() - make_interval(days => ${days}))`.as('before'))
    .executeTakeFirstOrThrow()
  for (const account of await findOldLogs(db, before))
    while ((await db.transaction((tx) => deleteBeginning(tx, account, before))) > 0);
}

const findLogTable = (account: string) => (account === SUPERUSERS_LOG ? '_audit' : 'account_audit')

async function findOldLogs(db: Db, before: string): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('_audit_logs as l')
    .select('l.account')
    .where(({ or, and, eb, exists, selectFrom }) =>
      or([
        and([
          eb('l.account', '=', SUPERUSERS_LOG),
          exists(selectFrom('_audit as a').where('a.created', '<', before)),
        ]),
        exists(
          selectFrom('account_audit as e')
            .whereRef('e.user', '=', 'l.account')
            .where('e.created', '<', before),
        ),
      ]),
    )
    .limit(LOGS_PER_RUN)
    .execute()
  return found.map(({ account }) => account)
}

/**
 * Deletes old entries up to the first that is not old, so that an entry with an earlier date than its
 * neighbours stays. Returns how many; 0 also while another server numbers entries.
 */
async function deleteBeginning(tx: Db, account: string, before: string): Promise<number> {
  if (!(await tryAcquireLock(tx, LOCKS.auditEntries))) return 0
  const entries = sql<Record<'id' | 'created', string>>`${sql.table(findLogTable(account))}`
  const numbered = () =>
    queries(tx)
      .selectFrom('_audit_numbers as n')
      .innerJoin(entries.as('e'), 'e.id', 'n.entry')
      .where('n.account', '=', account)
  const young = await numbered()
    .select(({ fn }) => fn.min<number | null>('n.number').as('number'))
    .where('e.created', '>=', before)
    .executeTakeFirst()
  const old = await numbered()
    .select(['n.number', 'n.entry'])
    .where('e.created', '<', before)
    .where(sql<boolean>`n.number < coalesce(${young?.number ?? null}::bigint, n.number + 1)`)
    .orderBy('n.number')
    .limit(ENTRIES_PER_BATCH)
    .execute()
  const last = old.at(-1)
  if (!last) return 0
  const ids = matchAny(old.map(({ entry }) => entry))
  await queries(tx).deleteFrom(findLogTable(account)).where('id', '=', ids).execute()
  await queries(tx)
    .deleteFrom('_audit_numbers')
    .where('account', '=', account)
    .where('number', '<=', last.number)
    .execute()
  await queries(tx)
    .updateTable('_audit_logs')
    .set({ first_number: last.number + 1 })
    .where('account', '=', account)
    .execute()
  return old.length
}

/** Deletes what is stored about the logs of accounts that are deleted with their entries. */
export async function deleteAuditLogs(db: Db, accounts: readonly string[]): Promise<void> {
  await acquireLock(db, LOCKS.auditEntries)
  for (const table of ['_audit_queue', '_audit_numbers', '_audit_logs'] as const)
    await queries(db).deleteFrom(table).where('account', '=', matchAny(accounts)).execute()
}
