import { admission } from '../admission/admission.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { list, run, runForRow, statement, text } from '../db/statement.ts'
import { ApiError } from '../errors.ts'
import type { Content } from './upload.ts'

const CHUNK_BYTES = 256 << 10
const READ_BYTES = 64 << 10

export interface FilePlace {
  readonly collection: string
  readonly record: string
  readonly name: string
}

export interface StoredFile {
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

const INSERT = `
insert into _files (collection, record, name, thumb, original, size, type, modified, owner)
values ($1, $2, $3, $4, $5, $6, $7, coalesce($8::timestamptz, now()), $9)
on conflict (collection, record, name, thumb) do nothing returning id`
const APPEND = 'insert into _file_chunks (file, part, content) values ($1, $2, $3)'

/** Stores a file. Returns false if another node stored the same thumbnail first. Throws FilesFull. */
export async function storeFile(
  db: Db,
  { collection, record, name }: FilePlace,
  { type, modified, owner, thumb }: FileFacts,
  content: Content,
): Promise<boolean> {
  if (owner) await takeRoom(db, owner, content.size)
  const facts = [thumb?.size ?? '', thumb?.original ?? null, content.size, type, modified ?? null]
  const values = [collection, record, name, ...facts, owner?.id ?? '']
  const [file] = (await db.query(INSERT, values, 'store file')).rows
  if (!file) return false
  let part = 0
  for await (const piece of content.pieces(CHUNK_BYTES))
    await db.query(APPEND, [file[0], part++, piece], 'store chunk')
  return true
}

export interface NamedFile extends StoredFile {
  readonly name: string
}

const FIND = statement('find files', {
  ...{ name: 'string', id: 'number', size: 'number', type: 'string', modified: 'Date' },
})`
select name, id, size, type, modified from _files where collection = ${text('collection')}
  and record = ${text('record')} and thumb = ${text('thumb')} and name = any(${list('names')}) order by array_position(${list('names')}, name)`

export async function findAllStored(
  db: Db,
  { collection, record }: Omit<FilePlace, 'name'>,
  names: readonly string[],
): Promise<NamedFile[]> {
  if (names.length === 0) return []
  return run(db, FIND, { collection, record, names, thumb: '' })
}

/** Finds a stored file or a thumbnail of it; undefined if there is none. */
export const findStored = (db: Db, { name, ...place }: FilePlace, thumb = '') =>
  runForRow(db, FIND, { ...place, names: [name], thumb })

export class FileDeleted extends Error {
  override name = 'FileDeleted'
}

/** Yields the bytes from `from` up to but excluding `to`, in turns. Throws FileDeleted, RetryLater. */
export async function* readStored(db: Db, { id }: StoredFile, from: number, to: number) {
  for (let at = from; at < to; ) {
    const part = Math.floor(at / CHUNK_BYTES)
    const offset = at - part * CHUNK_BYTES
    const params = [id, part, offset + 1, Math.min(READ_BYTES, to - at)]
    const read = () => db.query(READ, params, 'read chunk')
    const { rows } = await admission.claimsAndReads.run(db.ticket?.holder ?? 'server', read)
    const [content] = (rows[0] ?? []) as Buffer[]
    if (!content || content.length === 0) throw new FileDeleted()
    yield content
    at += content.length
  }
}

/** SQL that reads a part. Contents are stored uncompressed, so that Postgres reads no more than it. */
const READ = 'select substr(content, $3, $4) from _file_chunks where file = $1 and part = $2'

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
async function takeRoom(db: Db, { id, maxBytes }: FileOwner, size: number): Promise<void> {
  if (id === '' || maxBytes === 0) return
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.files, id], 'lock files')
  if ((await storedBytes(db, id)) + Math.max(size, LEAST_BYTES) > maxBytes) throw new FilesFull(maxBytes)
}
