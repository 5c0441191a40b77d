import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { CHUNK_BYTES, dropContents, storeContent } from './file-contents.ts'
import { type FileOwner, NO_OWNER } from './storage-limit.ts'
import type { FileContent } from './upload.ts'

const READ_BYTES = 64 << 10

export interface FilePlace {
  readonly collection: string
  readonly record: string
  readonly name: string
}

export interface StoredFile {
  readonly name: string
  readonly id: number
  readonly content: number
  readonly size: number
  readonly type: string
  readonly modified: Date
}

export interface FileFacts {
  readonly type: string
  readonly modified?: Date
  readonly owner?: FileOwner
  readonly thumb?: { readonly size: string; readonly original: number }
}

/** Stores a file. Returns false if another node stored the same thumbnail first. Throws FilesFull. */
export async function storeFile(
  db: Db,
  place: FilePlace,
  { type, modified, owner = NO_OWNER, thumb }: FileFacts,
  content: FileContent,
): Promise<boolean> {
  const id = await storeContent(db, owner, content)
  const file = await queries(db)
    .insertInto('_files')
    .values({
      ...place,
      type,
      content: id,
      size: content.size,
      thumb: thumb?.size ?? '',
      original: thumb?.original ?? null,
      modified: modified ?? sql<Date>`now()`,
    })
    .onConflict((found) => found.columns(['collection', 'record', 'name', 'thumb']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!file) await dropContents(db, [id])
  return file !== undefined
}

/** Stores one file for several records of a collection. Throws FilesFull. */
export async function storeFileForAll(
  db: Db,
  {
    collection,
    records,
    name,
  }: Omit<FilePlace, 'record'> & { readonly records: readonly string[] },
  { type, owner }: { readonly type: string; readonly owner: FileOwner },
  content: FileContent,
): Promise<void> {
  const id = await storeContent(db, owner, content)
  await queries(db)
    .insertInto('_files')
    .columns(['collection', 'record', 'name', 'type', 'content', 'size'])
    .expression((from) =>
      from
        .selectFrom(sql<{ record: string }>`unnest(${records}::text[])`.as<'r'>(sql`r(record)`))
        .select([
          sql<string>`${collection}::text`.as('collection'),
          'r.record',
          sql<string>`${name}::text`.as('name'),
          sql<string>`${type}::text`.as('type'),
          sql<number>`${id}::bigint`.as('content'),
          sql<number>`${content.size}::bigint`.as('size'),
        ]),
    )
    .execute()
}

const selectStoredFiles = (
  db: Db,
  { collection, record }: Omit<FilePlace, 'name'>,
  thumb: string,
) =>
  queries(db)
    .selectFrom('_files')
    .select(['name', 'id', 'content', 'size', 'type', 'modified'])
    .where('collection', '=', collection)
    .where('record', '=', record)
    .where('thumb', '=', thumb)

/** Finds stored files of a record, in the order of `names`. Leaves out names without a file. */
export async function findStoredFiles(
  db: Db,
  place: Omit<FilePlace, 'name'>,
  names: readonly string[],
): Promise<StoredFile[]> {
  if (names.length === 0) return []
  return selectStoredFiles(db, place, '')
    .where('name', '=', matchAny(names))
    .orderBy(sql`array_position(${names}::text[], name)`)
    .execute()
}

/** Finds a stored file or a thumbnail of it; undefined if there is none. */
export const findStoredFile = (db: Db, { name, ...place }: FilePlace, thumb = '') =>
  selectStoredFiles(db, place, thumb).where('name', '=', name).executeTakeFirst()

class FileDeleted extends Error {
  override name = 'FileDeleted'
}

/** Yields the bytes from `from` to before `to`. Throws FileDeleted, or RetryLater if too many reads wait. */
export async function* readStoredFile(db: Db, { content }: StoredFile, from: number, to: number) {
  for (let at = from; at < to; ) {
    const part = Math.floor(at / CHUNK_BYTES)
    const offset = at - part * CHUNK_BYTES
    const bytes = Math.min(READ_BYTES, to - at)
    const read = () => loadChunk(db, content, part, offset, bytes)
    const found = await admission.claimsAndReads.run(db.ticket?.holder ?? 'server', read)
    if (!found || found.bytes.length === 0) throw new FileDeleted()
    yield found.bytes
    at += found.bytes.length
  }
}

/** The whole file in memory. Throws as `readStoredFile`. */
export async function loadWholeFile(db: Db, file: StoredFile): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(file.size)
  let length = 0
  for await (const piece of readStoredFile(db, file, 0, file.size))
    length += piece.copy(whole, length)
  return whole
}

/** Reads bytes of a chunk. Chunks are stored uncompressed, so Postgres reads only these bytes. */
const loadChunk = (db: Db, content: number, part: number, offset: number, bytes: number) =>
  queries(db)
    .selectFrom('_file_chunks')
    .select(sql<Buffer>`substr(bytes, ${offset + 1}::int, ${bytes}::int)`.as('bytes'))
    .where('content', '=', content)
    .where('part', '=', part)
    .executeTakeFirst()
