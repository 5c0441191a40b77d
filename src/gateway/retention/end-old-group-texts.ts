import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { endMessages } from './end-messages.ts'
import { HAS_CONTENT_SQL, type Mode, OTHER_NUMBER_SQL } from './make-retention-index.ts'
import {
  MESSAGES_PER_BATCH,
  PEOPLE_PER_BATCH,
  runForPeople,
  selectOldTexts,
} from './run-in-batches.ts'

/** Accounts that have a group with days of its own. */
export async function listGroupAccounts(db: Db): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('contact_groups')
    .select('user')
    .distinct()
    .where('keep_days', '>', 0)
    .execute()
  return found.map(({ user }) => user)
}

export const endTextsOfMembers = (
  store: Store,
  extensions: Extensions,
  mode: Mode,
  user: string,
  signal?: AbortSignal,
): Promise<void> =>
  runForPeople(store, signal, async (inside, after) => {
    const people = await listContactsAfter(inside.db, user, after)
    const old = await selectOldGroupTexts(inside.db, mode, user, people)
    await endMessages(inside, extensions, mode, old)
    return { people, count: old.length }
  })

async function listContactsAfter(db: Db, user: string, after: string): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('contacts')
    .select('phone')
    .where('user', '=', user)
    .where('phone', '>', after)
    .orderBy('phone')
    .limit(sql.lit(PEOPLE_PER_BATCH))
    .execute()
  return found.map(({ phone }) => phone)
}

/** Days after which texts from and to a contact `c` are deleted: the fewest of its groups, or null. */
const MEMBER_DAYS = sql<number>`(select min(g.keep_days) from contact_groups g
  where g."user" = c."user" and g.id = any(c.groups) and g.keep_days > 0)`

/** The oldest texts to end, from and to these contacts. */
async function selectOldGroupTexts(
  db: Db,
  mode: Mode,
  user: string,
  phones: readonly string[],
): Promise<string[]> {
  const which = sql<boolean>`m."user" = p."user" and ${sql.raw(OTHER_NUMBER_SQL)} = p.phone
    and ${sql.raw(HAS_CONTENT_SQL[mode])}`
  const old = await queries(db, 'planned')
    .selectFrom(({ selectFrom }) =>
      selectFrom('contacts as c')
        .select(['c.user', 'c.phone', MEMBER_DAYS.as('days')])
        .where('c.user', '=', user)
        .where('c.phone', '=', matchAny(phones))
        .as('p'),
    )
    .crossJoinLateral(selectOldTexts(which, 'p.days'))
    .select('old.id')
    .where('p.days', 'is not', null)
    .limit(sql.lit(MESSAGES_PER_BATCH))
    .execute()
  return old.map(({ id }) => id)
}
