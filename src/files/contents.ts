import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { admission } from '../admission/admission.ts'
import type { Holder } from '../admission/holder.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { readOrMakeParam, readParam } from '../db/secrets.ts'
import { list, number, numberOrNull, run, runForRow, statement, text, textOrNull } from '../db/statement.ts'
import { ApiError } from '../errors.ts'
import type { FileField } from '../fields/field.ts'
import type { Content } from './upload.ts'

const CHUNK_BYTES = 256 << 10
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

const INSERT = statement('store file', { id: 'number' })`
insert into _files (collection, record, name, thumb, original, size, type, modified, owner)
values (${text('collection')}, ${text('record')}, ${text('name')}, ${text('thumb')}, ${numberOrNull('original')},
  ${number('size')}, ${text('type')}, coalesce(${textOrNull('modified')}::timestamptz, now()), ${text('owner')})
on conflict (collection, record, name, thumb) do nothing returning id`
const APPEND = 'insert into _file_chunks (file, part, content) values ($1, $2, $3)'

/** Stores a file. Returns false if another node stored the same thumbnail first. Throws FilesFull. */
export async function storeFile(
  db: Db,
  place: FilePlace,
  { type, modified, owner, thumb }: FileFacts,
  content: Content,
): Promise<boolean> {
  if (owner) await takeRoom(db, owner, content.size)
  const file = await runForRow(db, INSERT, {
    ...{ ...place, type, size: content.size, owner: owner?.id ?? '' },
    ...{ thumb: thumb?.size ?? '', original: thumb?.original ?? null },
    modified: modified?.toISOString() ?? null,
  })
  if (!file) return false
  let part = 0
  for await (const piece of content.pieces(CHUNK_BYTES))
    await db.query(APPEND, [file.id, part++, piece], 'store chunk')
  return true
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
): Promise<StoredFile[]> {
  if (names.length === 0) return []
  return run(db, FIND, { collection, record, names, thumb: '' })
}

/** Finds a stored file or a thumbnail of it; undefined if there is none. */
export const findStored = (db: Db, { name, ...place }: FilePlace, thumb = '') =>
  runForRow(db, FIND, { ...place, names: [name], thumb })

export class FileDeleted extends Error {
  override name = 'FileDeleted'
}

/** Yields the bytes from `from` to before `to`. Throws FileDeleted, or RetryLater if too many reads wait. */
export async function* readStored(db: Db, { id }: StoredFile, from: number, to: number) {
  for (let at = from; at < to; ) {
    const part = Math.floor(at / CHUNK_BYTES)
    const offset = at - part * CHUNK_BYTES
    const values = { id, part, from: offset + 1, bytes: Math.min(READ_BYTES, to - at) }
    const read = () => runForRow(db, READ, values)
    const found = await admission.claimsAndReads.run(db.ticket?.holder ?? 'server', read)
    if (!found || found.content.length === 0) throw new FileDeleted()
    yield found.content
    at += found.content.length
  }
}

/** Reads bytes of a chunk. Chunks are stored uncompressed, so Postgres reads only these bytes. */
const READ = statement('read chunk', { content: 'Buffer' })`
select substr(content, ${number('from')}, ${number('bytes')}) as content from _file_chunks
where file = ${number('id')} and part = ${number('part')}`

/** An account that stores files, and its maximum bytes; 0: unlimited. */
export interface FileOwner {
  readonly id: string
  readonly maxBytes: number
}

/** Minimum bytes that a file counts for, because its rows in the database take space. */
const LEAST_BYTES = 4_096

const SUM = statement('sum of files', { bytes: 'number' })`
select coalesce(sum(greatest(size, ${LEAST_BYTES})), 0)::float8 as bytes from _files
where owner = ${text('account')} and owner <> ''`

/** Bytes of an account's files, without thumbnails. */
export const storedBytes = async (db: Db, account: string): Promise<number> =>
  (await runForRow(db, SUM, { account }))!.bytes

export class FilesFull extends ApiError {
  override name = 'FilesFull'
  constructor(maxBytes: number) {
    super(413, `This account may store ${Math.floor(maxBytes / 1_048_576)} MiB of files. Delete some first.`)
  }
}

/** Throws FilesFull if the file exceeds the account's limit. Until the commit, its other uploads wait. */
async function takeRoom(db: Db, { id, maxBytes }: FileOwner, size: number): Promise<void> {
  if (id === '' || maxBytes === 0) return
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.files, id], 'lock files')
  if ((await storedBytes(db, id)) + Math.max(size, LEAST_BYTES) > maxBytes) throw new FilesFull(maxBytes)
}

const KEY = 'fileLinks'
const newKey = async () => JSON.stringify(randomBytes(32).toString('base64url'))

const TOKEN = /^(\d{1,12})\.([\w-]{43})$/

const sign = (key: string, { collection, record, name }: FilePlace, until: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([collection, record, name, until]))
    .digest('base64url')

/** A token that opens one protected file until `until` (seconds since 1970); equal for equal arguments. */
export async function linkToken(db: Db, place: FilePlace, until: number): Promise<string> {
  return `${until}.${sign(await readOrMakeParam(db, KEY, newKey), place, String(until))}`
}

export async function isLinkToken(db: Db, place: FilePlace, token: string): Promise<boolean> {
  const [, until = '', signature = ''] = TOKEN.exec(token) ?? []
  if (until === '' || Number(until) * 1000 < Date.now()) return false
  const key = await readParam(db, KEY)
  return key !== undefined && timingSafeEqual(Buffer.from(sign(key, place, until)), Buffer.from(signature))
}

/** `100x200` with an optional cut (`t`op, `b`ottom, `f`it): PocketBase's ThumbSizeRegex. */
const SIZE = /^(\d+)x(\d+)([tbf]?)$/

/** Types that have thumbnails. PocketBase: apis/file.go */
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpg',
  'image/jpeg',
  'image/gif',
  'image/webp',
])

/** Maximum pixels to decode, because a small file can claim any size. A GIF of this size takes 360 MB. */
const MAX_DOTS = 64_000_000
/** Maximum pixels of a result: `0x100` of a picture of 20,000 x 1 would be 2,000,000 wide and take 2 GB. */
const MAX_MADE_DOTS = 16_000_000
const TIMEOUT_SECONDS = 20
const JPEG_QUALITY = 95

interface Box {
  readonly width: number
  readonly height: number
}

interface Wanted extends Box {
  readonly cut: string
}

function readSize(size: string): Wanted {
  const [, width, height, cut = ''] = SIZE.exec(size) ?? []
  const wanted = { width: Number(width), height: Number(height), cut }
  if (!(wanted.width > 0 || wanted.height > 0)) throw new RangeError(`no size of a thumbnail: ${size}`)
  return wanted
}

/** The size of a thumbnail, computed as in github.com/disintegration/imaging, tools.go. */
function fitted({ width, height, cut }: Wanted, from: Box): Box {
  const ratio = from.width / from.height
  if (height === 0) return { width, height: Math.max(1, Math.floor(width / ratio + 0.5)) }
  if (width === 0) return { width: Math.max(1, Math.floor(height * ratio + 0.5)), height }
  if (cut !== 'f') return { width, height }
  if (from.width <= width && from.height <= height) return from
  return ratio > width / height
    ? { width, height: Math.max(1, Math.floor(width / ratio)) }
    : { width: Math.max(1, Math.floor(height * ratio)), height }
}

const GRAVITY: Readonly<Record<string, string>> = { t: 'top', b: 'bottom' }

/** Whether a picture can be opened and is small enough for a thumbnail. Reads only its metadata. */
export async function isDecodable(picture: Buffer): Promise<boolean> {
  const { default: sharp } = await import('sharp')
  const { width, height } = await sharp(picture)
    .metadata()
    .catch(() => ({ width: Infinity, height: 1 }))
  return width * height <= MAX_DOTS
}

/** Makes a small upright copy. Throws for invalid pictures. PocketBase: tools/filesystem, CreateThumb */
async function makeThumbnail(picture: Buffer, type: string, size: string) {
  const wanted = readSize(size)
  const { default: sharp } = await import('sharp')
  // one thread and no cache: other requests need the cores and the memory
  sharp.concurrency(1)
  sharp.cache(false)
  const upright = sharp(picture, { limitInputPixels: MAX_DOTS }).rotate()
  const { width, height, orientation = 1 } = await upright.metadata()
  const from = orientation > 4 ? { width: height, height: width } : { width, height }
  const box = fitted(wanted, from)
  if (box.width * box.height > MAX_MADE_DOTS) throw new RangeError('the thumbnail would be too large')
  const isCut = wanted.width > 0 && wanted.height > 0 && wanted.cut !== 'f'
  const resized = upright.timeout({ seconds: TIMEOUT_SECONDS }).resize({
    ...box,
    fit: isCut ? 'cover' : 'fill',
    position: GRAVITY[wanted.cut] ?? 'centre',
    kernel: 'linear',
  })
  const format = FORMATS[type] ?? 'png'
  const bytes = await resized.toFormat(format, format === 'jpeg' ? { quality: JPEG_QUALITY } : {}).toBuffer()
  return { type: `image/${format}`, content: contentOf(bytes) }
}

const FORMATS: Readonly<Record<string, 'jpeg' | 'gif'>> = { 'image/jpeg': 'jpeg', 'image/gif': 'gif' }

export const contentOf = (bytes: Buffer): Content => ({
  size: bytes.length,
  async *pieces(size) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  },
})

/** Thumbnail sizes that every file field allows. PocketBase: apis/file.go */
const DEFAULT_SIZES: readonly string[] = ['100x100']

/** A file's thumbnail, made at the first request. Undefined if the size is not allowed or making it fails. */
export async function findThumb(
  db: Db,
  place: FilePlace,
  original: StoredFile,
  {
    size,
    field,
    holder,
  }: { readonly size: string; readonly field: Pick<FileField, 'thumbs'>; readonly holder: Holder },
): Promise<StoredFile | undefined> {
  const isAdmitted = DEFAULT_SIZES.includes(size) || field.thumbs.includes(size)
  if (!isAdmitted || !PICTURES.has(original.type)) return undefined
  const find = () => findStored(db, place, size)
  const make = async () => {
    const pieces: Buffer[] = []
    for await (const piece of readStored(db, original, 0, original.size)) pieces.push(piece)
    const { type, content } = await makeThumbnail(Buffer.concat(pieces), original.type, size)
    const thumb = { size, original: original.id }
    // another node may have stored the thumbnail meanwhile; `find` then returns that one
    await db.transaction((inside) => storeFile(inside, place, { type, thumb }, content))
    return find()
  }
  const found = await find()
  // look again: while this request waited, another one may have made the thumbnail
  return found ?? admission.heavyWork.run(holder, async () => (await find()) ?? make()).catch(() => undefined)
}
