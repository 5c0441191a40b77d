import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { ApiError, badRequest, RetryLater } from '../../errors.ts'
import { MEMORY_BYTES, Spool, UploadSpace } from '../../files/spool.ts'
import type { Sender } from '../../files/spool-budget.ts'
import { readUpload, type Upload, type Uploads } from '../../files/upload.ts'
import { bodyPace } from './body-pace.ts'
import { limitedBody, SMALL_BYTES, senderOf } from './bytes.ts'
import { bodyMemoryBudget } from './memory-budget.ts'

type Parser = InstanceType<typeof Busboy>

/** What the values of a form that are no files may have together. PocketBase: Go's mime/multipart */
const MAX_VALUE_BYTES = MEMORY_BYTES + (10 << 20)

/** More is an error of Go's mime/multipart, too. A part takes some 40 µs. */
const MAX_PARTS = 1_000

/** Pieces with fewer parts are like small requests. */
const FREE_PARTS = 20
/** A part takes as long as that much JSON. */
const PART_COST_BYTES = 1 << 10

const BOUNDARY = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i

/** A form that was read: its values in order, and its files, which take room until they are released. */
export interface MultipartForm {
  readonly pairs: readonly [key: string, value: string][]
  readonly files: Uploads
  release(): Promise<void>
  /** Gives back the room in which the values are worked on, if they are large. */
  readonly leave?: () => void
}

/** A part of a form, which waits for the others: a file, or the text of a value. */
interface Part<T> {
  readonly key: string
  readonly content: Promise<T>
}

/** A form while it comes in. */
class Reader {
  readonly #room: UploadSpace
  readonly #files: Part<Upload>[] = []
  readonly #values: Part<Spool>[] = []
  #valueBytes = 0

  constructor(sender: Sender | undefined) {
    this.#room = new UploadSpace(MEMORY_BYTES, sender)
  }

  get evicted(): AbortSignal {
    return this.#room.evicted
  }

  /** `failed` hears of what goes wrong with it. */
  file(key: string, name: string, stream: Readable, failed: (error: Error) => void): void {
    const content = this.#take(stream).then((spool) => readUpload(lastSegment(name), spool))
    content.catch(failed)
    this.#files.push({ key, content })
  }

  value(key: string, stream: Readable, failed: (error: Error) => void): void {
    this.#valueBytes += key.length
    const content = this.#take(stream, (bytes) => {
      this.#valueBytes += bytes
      if (this.#valueBytes > MAX_VALUE_BYTES) throw badRequest()
    })
    content.catch(failed)
    this.#values.push({ key, content })
  }

  async #take(stream: Readable, count?: (bytes: number) => void): Promise<Spool> {
    const spool = new Spool(this.#room)
    for await (const part of stream as AsyncIterable<Buffer>) {
      count?.(part.length)
      await spool.write(part)
    }
    return spool
  }

  async form(): Promise<MultipartForm> {
    this.#room.complete()
    const files = new Map<string, Upload[]>()
    for (const { key, content } of this.#files) {
      const known = files.get(key)
      if (known) known.push(await content)
      else files.set(key, [await content])
    }
    const leave =
      this.#valueBytes > SMALL_BYTES ? await bodyMemoryBudget.acquire(this.#valueBytes) : undefined
    try {
      return { pairs: await this.#pairs(), files, release: () => this.release(), ...(leave && { leave }) }
    } catch (error) {
      leave?.()
      throw error
    }
  }

  async #pairs(): Promise<[string, string][]> {
    const pairs: [string, string][] = []
    for (const { key, content } of this.#values) {
      const parts: Buffer[] = []
      for await (const part of (await content).parts()) parts.push(part)
      pairs.push([key, Buffer.concat(parts).toString('utf8')])
    }
    return pairs
  }

  release(): Promise<void> {
    return this.#room.close()
  }
}

/** A name without the folders that a client may send along. */
const lastSegment = (name: string) => name.split('/').findLast((part) => part !== '') ?? ''

/**
 * Reads a multipart form as it comes in: values in memory once all is there, files too as long as they are
 * small. A part with a name of a file is one, whatever else it says. Throws 400 for what is no whole form,
 * 413 for one that says that it has more than `maxBytes`, 400 for one that turns out to, 503 when too many
 * large ones come at once; what a disk says, if it is full, as it is.
 * PocketBase: Go's mime/multipart, ReadForm
 */
export async function readMultipart(
  incoming: IncomingMessage,
  maxBytes: number,
  holder?: string,
): Promise<MultipartForm> {
  const reader = new Reader(senderOf(holder, maxBytes))
  try {
    const found = BOUNDARY.exec(incoming.headers['content-type'] ?? '')
    const boundary = found?.[1] ?? found?.[2] ?? ''
    const bytes = paced(limitedBody(incoming, maxBytes, reader.evicted), boundary, holder)
    await pipeline(bytes, parserOf(incoming, reader))
    return await reader.form()
  } catch (error) {
    await reader.release()
    throw isAnswer(error) ? error : badRequest()
  }
}

/**
 * Pieces of a form. One with many parts takes a share of the event loop, and waits for its turn; files pass
 * at once.
 */
async function* paced(
  pieces: AsyncIterable<Buffer>,
  boundary: string,
  holder: string | undefined,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const parts = countOf(boundary, piece)
    if (parts > FREE_PARTS) {
      await bodyPace.share(holder, parts * PART_COST_BYTES)
      await bodyPace.nextSlice()
    }
    yield piece
  }
}

/** How often a text occurs in a piece. */
function countOf(text: string, piece: Buffer): number {
  if (text === '') return 0
  let count = 0
  for (let at = piece.indexOf(text); at >= 0; at = piece.indexOf(text, at + text.length)) count++
  return count
}

/** What the disk says, or that it is too much. What the connection says never comes here as it is. */
const isAnswer = (error: unknown) =>
  error instanceof RetryLater ||
  (error instanceof ApiError && error.status === 413) ||
  (error instanceof Error && 'syscall' in error)

/** Values are taken as files are: as text, the parser would keep them in memory itself. */
function parserOf(incoming: IncomingMessage, reader: Reader): Parser {
  const parser = new Busboy({
    headers: { 'content-type': incoming.headers['content-type'] ?? '' },
    preservePath: true,
    limits: { parts: MAX_PARTS },
    isPartAFile: () => true,
  })
  const failed = (error: Error) => void parser.destroy(error)
  parser.on('file', (key: string | undefined, stream, name: string | undefined) => {
    if (!key) stream.resume()
    else if (name) reader.file(key, name, stream, failed)
    else reader.value(key, stream, failed)
  })
  parser.on('partsLimit', () => parser.destroy(badRequest()))
  return parser
}
