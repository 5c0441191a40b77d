import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type FileOwner, reserveStorage } from './storage-limit.ts'
import { CHUNK_BYTES, type FilePlace } from './stored-files.ts'

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
  const { id } = await queries(db)
    .insertInto('_files')
    .values({
      ...place,
      type,
      thumb: GROWING,
      size: 0,
      owner: owner.id,
      modified: sql<Date>`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return makeGrowingFile(db, id, owner, 0, [])
}

/** Continues a file that an earlier transaction has begun. */
export async function continueStoredFile(
  db: Db,
  { collection, record, name }: FilePlace,
  owner: FileOwner,
): Promise<GrowingFile> {
  const { id, size } = await queries(db)
    .selectFrom('_files')
    .select(['id', 'size'])
    .where('collection', '=', collection)
    .where('record', '=', record)
    .where('name', '=', name)
    .where('thumb', '=', GROWING)
    .executeTakeFirstOrThrow()
  // only the last chunk may be short, so that readers find the chunk of a byte
  const short = await queries(db)
    .deleteFrom('_file_chunks')
    .where('file', '=', id)
    .where('part', '=', Math.floor(size / CHUNK_BYTES))
    .returning('content')
    .execute()
  return makeGrowingFile(
    db,
    id,
    owner,
    size,
    short.map(({ content }) => content),
  )
}

/** `size`: bytes that are stored, with those in `pieces`, which are stored again. */
function makeGrowingFile(
  db: Db,
  id: number,
  owner: FileOwner,
  size: number,
  pieces: Buffer[],
): GrowingFile {
  let waiting = pieces.reduce((sum, { length }) => sum + length, 0)
  let stored = size - waiting
  const store = async (content: Buffer) => {
    const part = stored / CHUNK_BYTES
    await queries(db).insertInto('_file_chunks').values({ file: id, part, content }).execute()
    stored += content.length
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
        .where('id', '=', id)
        .execute()
    },
  }
}
