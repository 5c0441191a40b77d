import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import { type FileOwner, takeRoom } from './storage-limit.ts'
import { CHUNK_BYTES, type FilePlace } from './stored-files.ts'

/** A file whose content is stored while it is made. Holds at most one chunk in memory. */
export interface GrowingFile {
  add(text: string): Promise<void>
  /** Stores the rest. Throws FilesFull if the file exceeds the account's limit. */
  end(): Promise<void>
}

/** Begins a file of the media type `type`, in the transaction `db`. */
export async function beginFile(
  db: Db,
  place: FilePlace,
  type: string,
  owner: FileOwner,
): Promise<GrowingFile> {
  const { id } = await queries(db)
    .insertInto('_files')
    .values({ ...place, type, size: 0, owner: owner.id, modified: sql<Date>`now()` })
    .returning('id')
    .executeTakeFirstOrThrow()
  let pieces: Buffer[] = []
  let waiting = 0
  let part = 0
  let size = 0
  const store = async (content: Buffer) => {
    await queries(db).insertInto('_file_chunks').values({ file: id, part: part++, content }).execute()
    size += content.length
  }
  return {
    async add(text) {
      const piece = Buffer.from(text)
      pieces.push(piece)
      waiting += piece.length
      if (waiting < CHUNK_BYTES) return
      const all = Buffer.concat(pieces)
      const whole = all.length - (all.length % CHUNK_BYTES)
      for (let at = 0; at < whole; at += CHUNK_BYTES) await store(all.subarray(at, at + CHUNK_BYTES))
      pieces = [all.subarray(whole)]
      waiting = all.length - whole
    },
    async end() {
      if (waiting > 0) await store(Buffer.concat(pieces))
      await takeRoom(db, owner, size)
      await queries(db).updateTable('_files').set({ size }).where('id', '=', id).execute()
    },
  }
}
