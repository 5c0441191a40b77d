import { sql } from 'kysely'
import { ApiError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'

/** An account that stores files, and its maximum bytes; 0: unlimited. */
export interface FileOwner {
  readonly id: string
  readonly maxBytes: number
}

/** The holder of files that count for no account: thumbnails, and files of records without an account. */
export const NO_OWNER: FileOwner = { id: '', maxBytes: 0 }

/** Minimum bytes that a content counts for, because its rows in the database take space. */
const LEAST_BYTES = 4_096

/** Bytes of an account's files, without thumbnails. Files with equal contents count once. */
export async function sumStoredBytes(db: Db, account: string): Promise<number> {
  const { bytes } = await queries(db)
    .selectFrom('_file_contents')
    .select(
      sql<number>`coalesce(sum(greatest(size, ${sql.lit(LEAST_BYTES)})), 0)::float8`.as('bytes'),
    )
    .where('account', '=', account)
    .where('account', '<>', sql.lit(''))
    .executeTakeFirstOrThrow()
  return bytes
}

export class FilesFull extends ApiError {
  override name = 'FilesFull'
  constructor(maxBytes: number) {
    super(
      413,
      `This account may store ${Math.floor(maxBytes / 1_048_576)} MiB of files. Delete some first.`,
    )
  }
}

/** Throws FilesFull if the file exceeds the account's limit. Until the commit, its other uploads wait. */
export async function reserveStorage(
  db: Db,
  { id, maxBytes }: FileOwner,
  size: number,
): Promise<void> {
  if (id === '' || maxBytes === 0) return
  await acquireLock(db, LOCKS.files, id)
  if ((await sumStoredBytes(db, id)) + Math.max(size, LEAST_BYTES) > maxBytes)
    throw new FilesFull(maxBytes)
}
