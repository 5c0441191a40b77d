import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { type FileOwner, reserveStorage } from './storage-limit.ts'
import type { Content } from './upload.ts'

/** Bytes of each part of a stored file, except the last part. */
export const CHUNK_BYTES = 256 << 10
const READ_BYTES = 64 << 10

export interface FilePlace {
  readonly collection: string
  readonly record: string
  readonly name: string
}

export interface StoredFile {
  readonly name: string
  readonly id: number
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
  { type, modified, owner, thumb }: FileFacts,
  content: Content,
): Promise<boolean> {
  if (owner) await reserveStorage(db, owner, content.size)
  const file = await queries(db)
    .insertInto('_files')
    .values({
      ...place,
      type,
      size: content.size,
      owner: owner?.id ?? '',
      thumb: thumb?.size ?? '',
      original: thumb?.original ?? null,
      modified: modified ?? sql<Date>`now()`,
    })
    .onConflict((found) => found.columns(['collection', 'record', 'name', 'thumb']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!file) return false
  let part = 0
  for await (const piece of content.pieces(CHUNK_BYTES))
    await queries(db)
      .insertInto('_file_chunks')
      .values({ file: file.id, part: part++, content: piece })
      .execute()
  return true
}

const selectStoredFiles = (
  db: Db,
  { collection, record }: Omit<FilePlace, 'name'>,
  thumb: string,
) =>
  queries(db)
    .selectFrom('_files')
    .select(['name', 'id', 'size', 'type', 'modified'])
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
export async function* readStoredFile(db: Db, { id }: StoredFile, from: number, to: number) {
  for (let at = from; at < to; ) {
    const part = Math.floor(at / CHUNK_BYTES)
    const offset = at - part * CHUNK_BYTES
    const bytes = Math.min(READ_BYTES, to - at)
    const read = () => readChunk(db, id, part, offset, bytes)
    const found = await admission.claimsAndReads.run(db.ticket?.holder ?? 'server', read)
    if (!found || found.content.length === 0) throw new FileDeleted()
    yield found.content
    at += found.content.length
  }
}

/** The whole file in memory. Throws as `readStoredFile`. */
export async function readWholeFile(db: Db, file: StoredFile): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(file.size)
  let length = 0
  for await (const piece of readStoredFile(db, file, 0, file.size))
    length += piece.copy(whole, length)
  return whole
}

/** Reads bytes of a chunk. Chunks are stored uncompressed, so Postgres reads only these bytes. */
const readChunk = (db: Db, file: number, part: number, offset: number, bytes: number) =>
  queries(db)
    .selectFrom('_file_chunks')
    .select(sql<Buffer>`substr(content, ${offset + 1}::int, ${bytes}::int)`.as('content'))
    .where('file', '=', file)
    .where('part', '=', part)
    .executeTakeFirst()
