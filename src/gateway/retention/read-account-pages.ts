import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

/** SQL: a list of accounts, as the table `a`. */
export const writeAccountsSql = (accounts: readonly string[]) =>
  sql<{ id: string }>`(select unnest(${accounts}::text[]))`.as<'a'>(sql`a(id)`)

const ACCOUNTS = 1_000

/** Up to 1,000 accounts that have a period for texts or files, in the order of their ids, behind `after`. */
async function readAccountsAfter(db: Db, after: string, serverDays: number): Promise<string[]> {
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
export async function* readAccountPages(
  db: Db,
  serverDays: number,
): AsyncGenerator<readonly string[]> {
  let page: string[] = []
  do {
    page = await readAccountsAfter(db, page.at(-1) ?? '', serverDays)
    if (page.length > 0) yield page
  } while (page.length === ACCOUNTS)
}
