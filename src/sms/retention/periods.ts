import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'

/** Days after which an account deletes records, by kind (`sql/functions/retention`); null: never. */
export interface Periods {
  readonly incoming: number | null
  readonly outgoing: number | null
  readonly files: number | null
  readonly consents: number | null
}

/** SQL: the periods of an account. `serverDays`: SMS_RETENTION_DAYS. */
export const periodsSql = (owner: unknown, serverDays: number) =>
  sql<Periods>`retention_periods(${owner}, ${serverDays})`

/** SQL: the date so many days ago; null for null days. */
export const before = (days: unknown) => sql<string>`pb_text(now() - make_interval(days => (${days})::int))`

/** SQL: a list of accounts, as the table `a`. */
export const accountsSql = (accounts: readonly string[]) =>
  sql<{ id: string }>`(select unnest(${accounts}::text[]))`.as<'a'>(sql`a(id)`)

const ACCOUNTS = 1_000

/** Up to 1,000 accounts that have a period for texts or files, in the order of their ids, behind `after`. */
async function accountsAfter(db: Db, after: string, serverDays: number): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('users as u')
    .select('u.id')
    .where('u.id', '>', after)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb(sql<number>`${serverDays}::float8`, '>', 0),
        exists(
          selectFrom('user_settings as s')
            .whereRef('s.user', '=', 'u.id')
            .where(sql<boolean>`(s.keep_incoming > 0 or s.keep_outgoing > 0 or s.keep_files > 0)`),
        ),
      ]),
    )
    .orderBy('u.id')
    .limit(sql.lit(ACCOUNTS))
    .execute()
  return found.map(({ id }) => id)
}

/** Pages of the accounts that have a period for texts or files. */
export async function* accountPages(db: Db, serverDays: number): AsyncGenerator<readonly string[]> {
  let page: string[] = []
  do {
    page = await accountsAfter(db, page.at(-1) ?? '', serverDays)
    if (page.length > 0) yield page
  } while (page.length === ACCOUNTS)
}
