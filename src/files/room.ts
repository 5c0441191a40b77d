import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { ApiError } from '../errors.ts'

/** An account that stores files, and its maximum bytes; 0: unlimited. */
export interface FileOwner {
  readonly id: string
  readonly maxBytes: number
}

/** Minimum bytes that a file counts for, because its rows in the database take space. */
const LEAST_BYTES = 4_096

const SUM = `select coalesce(sum(greatest(size, ${LEAST_BYTES})), 0)::float8 from _files where owner = $1 and owner <> ''`

/** Bytes of an account's files, without thumbnails. */
export async function storedBytes(db: Db, account: string): Promise<number> {
  const { rows } = await db.query(SUM, [account], 'sum of files')
  return Number(rows[0]![0])
}

export class FilesFull extends ApiError {
  override name = 'FilesFull'
  constructor(maxBytes: number) {
    super(413, `This account may store ${Math.floor(maxBytes / 1_048_576)} MiB of files. Delete some first.`)
  }
}

/** Reserves room for a file in the transaction that stores it, one after the other. Throws FilesFull. */
export async function takeRoom(db: Db, { id, maxBytes }: FileOwner, size: number): Promise<void> {
  if (id === '' || maxBytes === 0) return
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.files, id], 'lock files')
  if ((await storedBytes(db, id)) + Math.max(size, LEAST_BYTES) > maxBytes) throw new FilesFull(maxBytes)
}
