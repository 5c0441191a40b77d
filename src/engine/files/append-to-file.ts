import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { CHUNK_BYTES } from './file-contents.ts'
import { type FileOwner, reserveStorage } from './storage-limit.ts'
import type { FilePlace } from './stored-files.ts'

/** Stands in `_files.thumb` of a file until it is whole: no download finds it before. */
const GROWING = 'growing'

/** A file whose content is stored while it is made. Holds at most one chunk in memory. */
export interface GrowingFile {
  add(text: string): Promise<void>
  /**
   * Stores the rest, before the commit. `isWhole`: no transaction continues the file, it can be downloaded.
   * Throws FilesFull if the file exceeds the account's limit.
   */
  end(isWhole: boolean): Promise<void>
}

/** Begins a file of the media type `type`, in the transaction `db`. Further transactions may continue it. */
export async function startStoredFile(
  db: Db,
  place: FilePlace,
  type: string,
  owner: FileOwner,
): Promise<GrowingFile> {
  const { id: content } = await queries(db)
    .insertInto('_file_contents')
    .values({ account: owner.id, size: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await queries(db)
    .insertInto('_files')
    .values({ ...place, type, content, thumb: GROWING, size: 0, modified: sql<Date>`now()` })
    .execute()
  return makeGrowingFile(db, content, owner, 0, [])
}

/** Continues a file that an earlier transaction has begun. */
export async function continueStoredFile(
  db: Db,
  { collection, record, name }: FilePlace,
  owner: FileOwner,
): Promise<GrowingFile> {
  const { content, size } = await queries(db)
    .selectFrom('_files')
    .select(['content', 'size'])
    .where('collection', '=', collection)
    .where('record', '=', record)
    .where('name', '=', name)
    .where('thumb', '=', GROWING)
    .executeTakeFirstOrThrow()
  // only the last chunk may be short, so that readers find the chunk of a byte
  const short = await queries(db)
    .deleteFrom('_file_chunks')
    .where('content', '=', content)
    .where('part', '=', Math.floor(size / CHUNK_BYTES))
    .returning('bytes')
    .execute()
  return makeGrowingFile(
    db,
    content,
    owner,
    size,
    short.map(({ bytes }) => bytes),
  )
}

/** `size`: bytes that are stored, with those in `pieces`, which are stored again. */
function makeGrowingFile(
  db: Db,
  content: number,
  owner: FileOwner,
  size: number,
  pieces: Buffer[],
): GrowingFile {
  let waiting = pieces.reduce((sum, { length }) => sum + length, 0)
  let stored = size - waiting
  const store = async (bytes: Buffer) => {
    const part = stored / CHUNK_BYTES
    await queries(db).insertInto('_file_chunks').values({ content, part, bytes }).execute()
    stored += bytes.length
  }
  return {
    async add(text) {
      const piece = Buffer.from(text)
      pieces.push(piece)
      waiting += piece.length
      if (waiting < CHUNK_BYTES) return
      const all = Buffer.concat(pieces)
      const whole = all.length - (all.length % CHUNK_BYTES)
      for (let at = 0; at < whole; at += CHUNK_BYTES)
        await store(all.subarray(at, at + CHUNK_BYTES))
      pieces = [all.subarray(whole)]
      waiting = all.length - whole
    },
    async end(isWhole) {
      if (waiting > 0) await store(Buffer.concat(pieces))
      await reserveStorage(db, owner, stored - size)
      await queries(db)
        .updateTable('_files')
        .set({ size: stored, thumb: isWhole ? '' : GROWING })
        .where('content', '=', content)
        .execute()
      await queries(db)
        .updateTable('_file_contents')
        .set({ size: stored })
        .where('id', '=', content)
        .execute()
    },
  }
}
