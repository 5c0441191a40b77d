import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '../errors.ts'
import { Room, Spool } from '../files/spool.ts'
import { workingRoom } from './working-room.ts'

/** Pieces are put together until they are that long: a chunked body may have one a byte, and each costs 400 bytes of memory. */
const PIECE_BYTES = 4 << 10
/** So many tiny ones at a time. */
const GATHERED = 16
/** Beyond so many pieces they must not be tiny: 5 million take 15 s of processor, whatever is in them. */
const MAX_TINY = 100_000
const TINY_BYTES = 512

/**
 * A body as it comes in, in pieces that are not tiny. Throws 413 when it says that it is too long, 400 when it turns out to be, or
 * comes in more pieces than anybody honest makes of it.
 */
export async function* limitedBody(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new ApiError(413)
  let size = 0
  let count = 0
  let gathered = 0
  let tiny: Buffer[] = []
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
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

const joined = (chunks: Buffer[]) => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))

/** As much of a body may wait for the rest without being counted. */
export const SMALL_BYTES = 16 << 10

/** Whether a request says that it has more, or does not say how much. */
export function mayBeLarge({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > SMALL_BYTES
}

/** A body that has come. */
export interface WholeBody {
  readonly bytes: Buffer
  /** A large one takes room, until nobody needs it any more: to be called then, once is enough. */
  readonly leave?: () => void
}

/**
 * The raw body, whole. What is large waits where uploads wait until all of it is there, then for its turn to be worked
 * on. Throws as `limitedBody` does, and 503 when its turn does not come.
 */
export async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<WholeBody> {
  const start: Buffer[] = []
  let size = 0
  let rest: { readonly room: Room; readonly spool: Spool } | undefined
  try {
    for await (const piece of limitedBody(incoming, maxBytes)) {
      size += piece.length
      if (size <= SMALL_BYTES) start.push(piece)
      else {
        rest ??= openSpool()
        await rest.spool.write(piece)
      }
    }
    return rest ? await whole(size, start, rest.spool) : { bytes: joined(start) }
  } finally {
    await rest?.room.close()
  }
}

function openSpool() {
  const room = new Room()
  return { room, spool: new Spool(room) }
}

async function whole(size: number, start: readonly Buffer[], rest: Spool): Promise<WholeBody> {
  const leave = await workingRoom.take(size)
  try {
    const bytes = Buffer.allocUnsafe(size)
    let at = 0
    for (const piece of start) at += piece.copy(bytes, at)
    for await (const piece of rest.parts()) at += piece.copy(bytes, at)
    return { bytes, leave }
  } catch (error) {
    leave()
    throw error
  }
}
