import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { type FileOwner, reserveStorage } from './storage-limit.ts'
import type { FilePlace } from './stored-files.ts'

/**
 * Copies the first `max` files of some records to another record, within the database. Returns their names.
 * Throws FilesFull if they exceed the account's limit.
 */
export async function copyFiles(
  db: Db,
  from: { readonly collection: string; readonly records: readonly string[] },
  to: Omit<FilePlace, 'name'>,
  owner: FileOwner,
  max: number,
): Promise<string[]> {
  const some = await queries(db)
    .selectFrom('_files')
    .select(['id', 'name', 'size'])
    .where('collection', '=', from.collection)
    .where('record', '=', matchAny(from.records))
    .where('thumb', '=', '')
    .orderBy('id')
    .limit(max)
    .execute()
  await reserveStorage(
    db,
    owner,
    some.reduce((sum, { size }) => sum + size, 0),
  )
  for (const { id } of some)
    await queries(db)
      .with('copied', (query) =>
        query
          .insertInto('_files')
          .columns(['collection', 'record', 'name', 'size', 'type', 'owner'])
          .expression((from) =>
            from
              .selectFrom('_files')
              .select([
                sql.lit(to.collection).as('collection'),
                sql<string>`${to.record}`.as('record'),
              ])
              .select(['name', 'size', 'type', sql<string>`${owner.id}`.as('owner')])
              .where('id', '=', id),
          )
          .returning('id'),
      )
      .insertInto('_file_chunks')
      .columns(['file', 'part', 'content'])
      .expression((from) =>
        from
          .selectFrom(['_file_chunks as c', 'copied as n'])
          .select(['n.id as file', 'c.part', 'c.content'])
          .where('c.file', '=', id),
      )
      .execute()
  return some.map(({ name }) => name)
}
