import { availableParallelism } from 'node:os'
import type { Db } from '../db/open.ts'
import { type FilePlace, findStored, readStored, type StoredFile, storeFile } from './contents.ts'
import { isPicture, makeThumbnail } from './thumbnail.ts'

/** Sizes that every field has. PocketBase: apis/file.go */
const DEFAULT_SIZES: readonly string[] = ['100x100']
/**
 * So many are made at once: each unpacks a whole picture, on one of four threads of this process on which passwords are
 * checked and names looked up as well.
 */
const WORKERS = Math.min(availableParallelism(), 2)
const MAX_WAIT_MS = 60_000

/** Thumbnails that are being made in this process, by their place: who asks for one meanwhile waits for the same. */
const making = new Map<string, Promise<StoredFile | undefined>>()
/** Until when none is tried again, by place: a broken picture would be read and unpacked for everybody who comes by. */
const broken = new Map<string, number>()
const BROKEN_MS = 60_000
const MAX_BROKEN = 1_000
let running = 0
const waiting: (() => void)[] = []

/**
 * The thumbnail of a stored file in one of the `sizes` of its field, made when it is first asked for and stored beside it.
 * Undefined for another size, for what is no picture, and when none can be made: then the original is shown.
 */
export async function findThumb(
  db: Db,
  place: FilePlace,
  original: StoredFile,
  size: string,
  sizes: readonly string[],
): Promise<StoredFile | undefined> {
  if (!(DEFAULT_SIZES.includes(size) || sizes.includes(size)) || !isPicture(original.type)) return undefined
  return (await findStored(db, place, size)) ?? makeOnce(db, place, original, size)
}

function makeOnce(
  db: Db,
  place: FilePlace,
  original: StoredFile,
  size: string,
): Promise<StoredFile | undefined> {
  const key = `${original.id} ${size}`
  const known = making.get(key)
  if (known) return known
  if (Date.now() < (broken.get(key) ?? 0)) return Promise.resolve(undefined)
  const made = inTurn(() => makeAndStore(db, place, original, size).catch(() => noteBroken(key)))
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
): Promise<StoredFile | undefined> {
  const pieces: Buffer[] = []
  for await (const piece of readStored(db, original, 0, original.size)) pieces.push(piece)
  const { type, content } = await makeThumbnail(Buffer.concat(pieces), original.type, size)
  const thumb = { size, original: original.id }
  // another node may have stored the same in the meantime: then that one counts
  await db.transaction((inside) => storeFile(inside, place, { type, thumb }, content))
  return findStored(db, place, size)
}

/** Runs when one of the workers is free. Throws after a minute of waiting. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < WORKERS) running++
  else await turn()
  try {
    return await work()
  } finally {
    // who waits has the place at once: nobody comes in between
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

function turn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(go), 1)
      reject(new Error('too many thumbnails are being made'))
    }, MAX_WAIT_MS)
    waiting.push(go)
  })
}
