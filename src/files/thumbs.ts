import type { Db } from '../db/open.ts'
import type { FileField } from '../fields/field.ts'
import { Semaphore } from '../tools/semaphore.ts'
import { type FilePlace, findStored, readStored, type StoredFile, storeFile } from './contents.ts'
import { isPicture, makeThumbnail } from './thumbnail.ts'

/** Sizes that every field has. PocketBase: apis/file.go */
const DEFAULT_SIZES: readonly string[] = ['100x100']
/**
 * Thumbnails are made one at a time: each unpacks a whole picture on one of the four threads of this process
 * that also check passwords, and takes a core for up to some seconds.
 */
const PLACES = 1
/** When more wait, the address with the most gets the original instead. */
const MAX_WAITING = 30
const places = new Semaphore(PLACES, {
  maxWaiting: MAX_WAITING,
  refusal: 'Too many thumbnails are being made. Try again in a moment.',
})

/**
 * Thumbnails that are being made in this process, by their place: who asks for one meanwhile waits for the
 * same.
 */
const making = new Map<string, Promise<StoredFile | undefined>>()
/**
 * Until when none is tried again, by place: a broken picture would be read and unpacked for everybody who
 * comes by.
 */
const broken = new Map<string, number>()
const BROKEN_MS = 60_000
const MAX_BROKEN = 1_000

/** A thumbnail that is asked for. */
export interface ThumbRequest {
  readonly size: string
  /** The field that holds the picture, with the sizes it admits. */
  readonly field: Pick<FileField, 'thumbs'>
  /** The account or address that asks: thumbnails are made in turns of holders. */
  readonly holder: string
}

/**
 * The thumbnail of a stored file in one of the sizes of its field, made when it is first asked for and stored
 * beside it. Undefined for another size, for what is no picture, and when none can be made: then the original
 * is shown.
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
  const made = places
    .run(make, holder)
    // PocketBase shows the original, too
    .catch(() => undefined)
    .finally(() => making.delete(key))
  making.set(key, made)
  return made
}

/** A broken picture, a size that is none, no library for this machine. */
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
  // another node may have stored the same in the meantime: then that one counts
  await db.transaction((inside) => storeFile(inside, place, { type, thumb }, content))
  return findStored(db, place, size)
}
