import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'

/** The names of an account's senders, groups, labels, devices and lines with these ids, by id. */
export async function loadNames(
  db: Db,
  user: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const named = queries(db)
  const select = (table: 'senders' | 'contact_groups' | 'labels' | 'devices') =>
    named
      .selectFrom(table)
      .select(['id', 'name'])
      .where('user', '=', user)
      .where('id', '=', matchAny(ids))
  const lines = named
    .selectFrom('lines')
    .select(['id', sql<string>`coalesce(nullif(label, ''), number)`.as('name')])
    .where('user', '=', user)
    .where('id', '=', matchAny(ids))
  const found = await select('senders')
    .unionAll(select('contact_groups'))
    .unionAll(select('labels'))
    .unionAll(select('devices'))
    .unionAll(lines)
    .execute()
  return new Map(found.filter(({ name }) => name !== '').map(({ id, name }) => [id, name]))
}
