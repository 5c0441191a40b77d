import { admission } from '../admission/admission.ts'
import type { Db } from '../db/open.ts'
import type { FileField } from '../fields/field.ts'
import { type FilePlace, findStored, readStored, type StoredFile, storeFile } from './contents.ts'
import { isPicture, makeThumbnail } from './thumbnail.ts'

/** Sizes that every field allows. PocketBase: apis/file.go */
const DEFAULT_SIZES: readonly string[] = ['100x100']
/** Thumbnails in progress, by place: concurrent requests share the result. */
const making = new Map<string, Promise<StoredFile | undefined>>()
/**
 * Failed thumbnails with the time of the next attempt, so that a broken picture is not decoded for every
 * request.
 */
const broken = new Map<string, number>()
const BROKEN_MS = 60_000
const MAX_BROKEN = 1_000

export interface ThumbRequest {
  readonly size: string
  /** The picture's field with its allowed sizes. */
  readonly field: Pick<FileField, 'thumbs'>
  /** The account or address: holders take turns. */
  readonly holder: string
}

/**
 * Finds the thumbnail of a file in one of its field's sizes; makes and stores it at the first request.
 * Undefined for another size, for files that are no picture, and when it fails: then the original is served.
 */
export async function findThumb(
  db: Db,
  place: FilePlace,
  original: StoredFile,
  request: ThumbRequest,
): Promise<StoredFile | undefined> {
  const { size, field } = request
  const isAdmitted = DEFAULT_SIZES.includes(size) || field.thumbs?.includes(size)
  if (!isAdmitted || !isPicture(original.type)) return undefined
  return (await findStored(db, place, size)) ?? makeOnce(db, place, original, request)
}

function makeOnce(
  db: Db,
  place: FilePlace,
  original: StoredFile,
  { size, holder }: ThumbRequest,
): Promise<StoredFile | undefined> {
  const key = `${original.id} ${size}`
  const known = making.get(key)
  if (known) return known
  if (Date.now() < (broken.get(key) ?? 0)) return Promise.resolve(undefined)
  const make = () => makeAndStore(db, place, original, size, holder).catch(() => noteBroken(key))
  const made = admission.heavyWork
    .run(holder, make)
    // PocketBase also serves the original.
    .catch(() => undefined)
    .finally(() => making.delete(key))
  making.set(key, made)
  return made
}

/** A broken picture, an invalid size, or no library for this machine. */
function noteBroken(key: string): undefined {
  if (broken.size >= MAX_BROKEN) broken.clear()
  broken.set(key, Date.now() + BROKEN_MS)
}

async function makeAndStore(
  db: Db,
  place: FilePlace,
  original: StoredFile,
  size: string,
  holder: string,
): Promise<StoredFile | undefined> {
  const pieces: Buffer[] = []
  for await (const piece of readStored(db, original, 0, original.size, holder)) pieces.push(piece)
  const { type, content } = await makeThumbnail(Buffer.concat(pieces), original.type, size)
  const thumb = { size, original: original.id }
  // Another node may have stored it meanwhile; then that one counts.
  await db.transaction((inside) => storeFile(inside, place, { type, thumb }, content))
  return findStored(db, place, size)
}
