import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, matchAnyFound, queries } from '../../platform/db/queries.ts'
import { writeDaysAgo, writePeriodsSql } from '../base/retention-periods.ts'
import { MESSAGES_PER_BATCH, PEOPLE_PER_BATCH, runForPeople } from './run-in-batches.ts'

/** Accounts that set days for entries of `consents`. */
export async function listConsentAccounts(db: Db): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('user_settings')
    .select('user')
    .where('keep_consents', '>', 0)
    .execute()
  return found.map(({ user }) => user)
}

/** Deletes old entries of an account's `consents`. Each leaves its hash: see the trigger consents_kept. */
export const endOldConsents = (
  store: Store,
  user: string,
  serverDays: number,
  signal?: AbortSignal,
): Promise<void> =>
  runForPeople(store, signal, async ({ db }, after) => {
    const people = await listNumbersAfter(db, user, after)
    return { people, count: await deleteReplaced(db, user, people, serverDays) }
  })

async function listNumbersAfter(db: Db, user: string, after: string): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('consents')
    .select('number')
    .distinct()
    .where('user', '=', user)
    .where('number', '>', after)
    .orderBy('number')
    .limit(sql.lit(PEOPLE_PER_BATCH))
    .execute()
  return found.map(({ number }) => number)
}

/** SQL: the date from which the days of a replaced entry `e` count; `s` is its state. */
export const REPLACED_AT = sql<string>`greatest(e.created, coalesce(s.updated,
  (select c.last_at from conversations c where c."user" = e."user" and c.number = e.number)))`

/**
 * The entries of an account that no longer count: another entry made the present state, `days` days ago
 * or earlier. The group of an entry without a state was deleted: the latest text to the number counts then.
 */
export const selectReplaced = (db: Db, user: string, days: unknown) =>
  queries(db, 'planned')
    .selectFrom('consents as e')
    .leftJoin('consent_states as s', (join) =>
      join
        .onRef('s.user', '=', 'e.user')
        .onRef('s.number', '=', 'e.number')
        .onRef('s.group', '=', 'e.group')
        .on(sql<boolean>`s.purpose = case e."group" when '' then e.purpose else '' end`),
    )
    .where('e.user', '=', user)
    .where('e.created', '<', writeDaysAgo(days))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('consent_states as now')
            .whereRef('now.user', '=', 'e.user')
            .whereRef('now.number', '=', 'e.number')
            .whereRef('now.entry', '=', 'e.id'),
        ),
      ),
    )
    .where(REPLACED_AT, '<', writeDaysAgo(days))

async function deleteReplaced(
  db: Db,
  user: string,
  numbers: readonly string[],
  serverDays: number,
): Promise<number> {
  await callFunction(db, 'set_config', 'pocketsms.forget', 'consents', true)
  const period = sql`(select p.consents from ${writePeriodsSql(user, serverDays)} p)`
  const gone = await queries(db, 'planned')
    .deleteFrom('consents')
    .where(
      'id',
      '=',
      matchAnyFound(
        selectReplaced(db, user, period)
          .select('e.id')
          .where('e.number', '=', matchAny(numbers))
          .limit(sql.lit(MESSAGES_PER_BATCH)),
      ),
    )
    .returning('id')
    .execute()
  return gone.length
}
