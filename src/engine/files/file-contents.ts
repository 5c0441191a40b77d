import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type FileOwner, reserveStorage } from './storage-limit.ts'
import type { FileContent } from './upload.ts'

// Contents of files. Files of an account with equal contents share one; it is deleted with the last of them.

/** Bytes of each part of a stored content, except the last part. */
export const CHUNK_BYTES = 256 << 10
const HASHED_BYTES = 64 << 10

/**
 * The id of a stored content with these bytes. Call it in the transaction that stores a file with the id.
 * Throws FilesFull.
 */
export async function storeContent(
  db: Db,
  owner: FileOwner,
  content: FileContent,
): Promise<number> {
  // contents without an account are shared by no files: no other transaction stores them
  if (owner.id === '') return (await insertContent(db, owner, content, null))!
  const sha256 = await hashContent(content)
  for (;;) {
    const id =
      (await findContent(db, owner, sha256)) ?? (await insertContent(db, owner, content, sha256))
    if (id !== undefined) return id
  }
}

async function hashContent(content: FileContent): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const piece of content.pieces(HASHED_BYTES)) hash.update(piece)
  return hash.digest()
}

/** Finds a content and locks it: until the commit, no deletion of other files deletes it. */
const findContent = async (db: Db, { id: account }: FileOwner, sha256: Buffer) =>
  (
    await queries(db)
      .selectFrom('_file_contents')
      .select('id')
      .where('account', '=', account)
      .where('account', '<>', sql.lit(''))
      .where('sha256', '=', sha256)
      .forKeyShare()
      .executeTakeFirst()
  )?.id

/** Stores a content; undefined if another transaction has stored it meanwhile. */
async function insertContent(
  db: Db,
  owner: FileOwner,
  content: FileContent,
  sha256: Buffer | null,
): Promise<number | undefined> {
  await reserveStorage(db, owner, content.size)
  const stored = await queries(db)
    .insertInto('_file_contents')
    .values({ account: owner.id, sha256, size: content.size })
    .onConflict((found) => found.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!stored) return undefined
  let part = 0
  for await (const bytes of content.pieces(CHUNK_BYTES))
    await queries(db)
      .insertInto('_file_chunks')
      .values({ content: stored.id, part: part++, bytes })
      .execute()
  return stored.id
}

/** Deletes those of some contents that no file names. */
export const dropContents = (db: Db, ids: readonly number[]) =>
  callFunction(db, '_file_contents_drop', ids)

const PAGE = 10_000

/**
 * Deletes contents without a file. They remain if several transactions delete their last files at the same
 * time, since each transaction still sees the files that the others delete.
 */
export async function sweepContents(db: Db): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await queries(db)
      .selectFrom('_file_contents as c')
      .select(({ exists, selectFrom, not }) => [
        'c.id',
        not(exists(selectFrom('_files as f').whereRef('f.content', '=', 'c.id'))).as('isUnnamed'),
      ])
      .where('c.id', '>', after)
      .orderBy('c.id')
      .limit(sql.lit(PAGE))
      .execute()
    const unnamed = page.filter(({ isUnnamed }) => isUnnamed).map(({ id }) => id)
    if (unnamed.length > 0) await dropContents(db, unnamed)
    after = page.length === PAGE ? page.at(-1)!.id : undefined
  }
}
