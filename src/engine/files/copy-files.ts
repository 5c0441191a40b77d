import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import type { FilePlace } from './stored-files.ts'

/**
 * Copies the first `max` files of some records to another record of the account. The copies share their
 * contents with the files. Returns their names.
 */
export async function copyFiles(
  db: Db,
  from: { readonly collection: string; readonly records: readonly string[] },
  to: Omit<FilePlace, 'name'>,
  max: number,
): Promise<string[]> {
  const copies = await queries(db)
    .insertInto('_files')
    .columns(['collection', 'record', 'name', 'content', 'size', 'type'])
    .expression((query) =>
      query
        .selectFrom('_files')
        .select([
          sql<string>`${to.collection}::text`.as('collection'),
          sql<string>`${to.record}::text`.as('record'),
        ])
        .select(['name', 'content', 'size', 'type'])
        .where('collection', '=', from.collection)
        .where('record', '=', matchAny(from.records))
        .where('thumb', '=', '')
        .orderBy('id')
        .limit(max)
        // until the commit, no deletion of these files deletes their contents
        .forKeyShare(),
    )
    .returning('name')
    .execute()
  return copies.map(({ name }) => name)
}
