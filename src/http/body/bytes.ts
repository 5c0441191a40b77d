import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '../../errors.ts'
import { MEMORY_BYTES, Spool, UploadSpace } from '../../files/spool.ts'
import type { Sender } from '../../files/spool-budget.ts'
import { bodyPace } from './body-pace.ts'
import { bodyMemoryBudget } from './memory-budget.ts'

/**
 * Pieces are put together until they are that long: a chunked body may have one a byte, and each costs 400
 * bytes of memory.
 */
const PIECE_BYTES = 4 << 10
/** So many tiny ones at a time. */
const GATHERED = 16
/** Beyond so many pieces they must not be tiny: 5 million take 15 s of processor, whatever is in them. */
const MAX_TINY = 100_000
const TINY_BYTES = 512

/**
 * A body as it comes in, in pieces that are not tiny. Throws 413 when it says that it is too long, 400 when
 * it turns out to be, or comes in more pieces than anybody honest makes of it; the reason of `evicted` when
 * that aborts, even while nothing comes.
 */
export async function* limitedBody(
  incoming: IncomingMessage,
  maxBytes: number,
  evicted?: AbortSignal,
): AsyncGenerator<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new ApiError(413)
  let size = 0
  let count = 0
  let gathered = 0
  let tiny: Buffer[] = []
  try {
    const chunks = evicted ? chunksOf(incoming, evicted) : (incoming as AsyncIterable<Buffer>)
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > maxBytes || (++count > MAX_TINY && size < count * TINY_BYTES)) throw badRequest()
      tiny.push(chunk)
      gathered += chunk.length
      if (gathered < PIECE_BYTES) {
        if (tiny.length === GATHERED) tiny = [Buffer.concat(tiny)]
        continue
      }
      yield joined(tiny)
      tiny = []
      gathered = 0
    }
  } catch (error) {
    // a client that went away in the middle of its body: nobody reads the answer
    throw error instanceof ApiError ? error : badRequest()
  }
  if (tiny.length > 0) yield joined(tiny)
}

/** What comes, until `evicted` aborts. The connection stays open then: the client is answered. */
async function* chunksOf(incoming: IncomingMessage, evicted: AbortSignal): AsyncGenerator<Buffer> {
  evicted.throwIfAborted()
  let fail: (reason: unknown) => void = () => {}
  evicted.addEventListener('abort', () => fail(evicted.reason), { once: true })
  const chunks = incoming.iterator({ destroyOnReturn: false })
  // no Promise.race: the promise that outlives them all would hold every chunk
  const next = () =>
    new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      fail = reject
      chunks.next().then(resolve, reject)
    })
  try {
    for (let one = await next(); !one.done; one = await next()) {
      yield one.value
      evicted.throwIfAborted()
    }
  } finally {
    chunks.return?.(undefined).catch(() => {})
  }
}

const joined = (chunks: Buffer[]) => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))

/** As much of a body may wait for the rest without being counted. */
export const SMALL_BYTES = 16 << 10

/** A smaller body takes less than 10 ms to parse: it does not wait for those of other clients. */
const QUEUED_BYTES = 64 << 10

/**
 * Whether a request says that it has more, does not say how much, or has parts, which wait as large bodies
 * do.
 */
export function mayExceedSmall({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  if (headers['content-type']?.startsWith('multipart/')) return true
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > SMALL_BYTES
}

/** A body that has come. */
export interface WholeBody {
  readonly bytes: Buffer
  /** A large one takes room, until nobody needs it any more: to be called then, once is enough. */
  readonly leave?: () => void
}

/**
 * The raw body, whole. What is large waits where uploads wait until all of it is there, then for its turn to
 * be worked on. Throws as `limitedBody` does, 429 and 503 when its turn does not come. `holder`: whose share
 * of the temporary files and of the event loop it takes.
 */
export async function readBytes(
  incoming: IncomingMessage,
  maxBytes: number,
  holder?: string,
): Promise<WholeBody> {
  if (!mayExceedSmall(incoming)) {
    const pieces: Buffer[] = []
    for await (const piece of limitedBody(incoming, maxBytes)) pieces.push(piece)
    return { bytes: joined(pieces) }
  }
  return readLarge(incoming, maxBytes, holder)
}

async function readLarge(
  incoming: IncomingMessage,
  maxBytes: number,
  holder: string | undefined,
): Promise<WholeBody> {
  const space = new UploadSpace(MEMORY_BYTES, senderOf(holder, maxBytes))
  const spool = new Spool(space)
  const start: Buffer[] = []
  let size = 0
  try {
    for await (const piece of limitedBody(incoming, maxBytes, space.evicted)) {
      size += piece.length
      if (size <= SMALL_BYTES) start.push(piece)
      else await spool.write(piece)
    }
    space.complete()
    return spool.size > 0 ? await whole(size, start, spool, holder) : { bytes: joined(start) }
  } finally {
    await space.close()
  }
}

export const senderOf = (holder: string | undefined, maxBytes: number): Sender | undefined =>
  holder === undefined ? undefined : { holder, maxBytes }

async function whole(
  size: number,
  start: readonly Buffer[],
  rest: Spool,
  holder: string | undefined,
): Promise<WholeBody> {
  await bodyPace.share(holder, size)
  const leave = await bodyMemoryBudget.acquire(size)
  try {
    const bytes = Buffer.allocUnsafe(size)
    let at = 0
    for (const piece of start) at += piece.copy(bytes, at)
    for await (const piece of rest.parts()) at += piece.copy(bytes, at)
    if (size > QUEUED_BYTES) await bodyPace.nextSlice()
    return { bytes, leave }
  } catch (error) {
    leave()
    throw error
  }
}
