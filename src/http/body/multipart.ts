import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { admission } from '../../admission/admission.ts'
import type { GrowingRoom } from '../../admission/growing-room.ts'
import { ApiError, badRequest, RetryLater } from '../../errors.ts'
import { Spool, UploadSpace } from '../../files/spool.ts'
import { readUpload, type Upload, type Uploads } from '../../files/upload.ts'
import { type RequestMemory, SMALL_BYTES } from '../request-memory.ts'
import { ByteCollector, piecesOf } from './bytes.ts'

type Parser = InstanceType<typeof Busboy>

/** What the values of a form that are no files may have together. PocketBase: Go's mime/multipart */
const MAX_VALUE_BYTES = 26 << 20

/** More is an error of Go's mime/multipart, too. A part takes some 40 µs. */
const MAX_PARTS = 1_000

/** Pieces with fewer parts are like small requests. */
const FREE_PARTS = 20
/** A part takes as long as that much JSON. */
const PART_COST_BYTES = 1 << 10
/** Pieces are put together until they are that long. */
const PIECE_BYTES = 4 << 10

const BOUNDARY = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i

/** A form that was read: its values in order, and its files, which take room until they are released. */
export interface MultipartForm {
  readonly pairs: readonly [key: string, value: string][]
  readonly files: Uploads
  release(): Promise<void>
}

/** A part of a form, which waits for the others: a file, or the text of a value. */
interface Part<T> {
  readonly key: string
  readonly content: Promise<T>
}

/** A form while it comes in. */
class Reader {
  readonly #memory: RequestMemory
  readonly #room: GrowingRoom
  readonly #space: UploadSpace
  readonly #files: Part<Upload>[] = []
  readonly #values: Part<string>[] = []
  #valueBytes = 0

  constructor(memory: RequestMemory, space: UploadSpace) {
    this.#memory = memory
    this.#room = memory.roomForBody()
    this.#space = space
  }

  /** `failed` is called with what goes wrong. */
  file(key: string, name: string, stream: Readable, failed: (error: Error) => void): void {
    const content = this.#readFile(lastSegment(name), stream)
    content.catch(failed)
    this.#files.push({ key, content })
  }

  value(key: string, stream: Readable, failed: (error: Error) => void): void {
    this.#valueBytes += key.length
    const content = this.#readValue(stream)
    content.catch(failed)
    this.#values.push({ key, content })
  }

  async #readFile(name: string, stream: Readable): Promise<Upload> {
    const spool = new Spool(this.#space)
    for await (const part of stream as AsyncIterable<Buffer>) await spool.write(part)
    return readUpload(name, spool)
  }

  async #readValue(stream: Readable): Promise<string> {
    const value = new ByteCollector()
    for await (const part of stream as AsyncIterable<Buffer>) {
      this.#valueBytes += part.length
      if (this.#valueBytes > MAX_VALUE_BYTES) throw badRequest()
      if (this.#valueBytes > SMALL_BYTES) await this.#room.growTo(this.#valueBytes)
      value.add(part)
    }
    return value.bytes.toString('utf8')
  }

  async form(): Promise<MultipartForm> {
    const files = new Map<string, Upload[]>()
    for (const { key, content } of this.#files) {
      const known = files.get(key)
      if (known) known.push(await content)
      else files.set(key, [await content])
    }
    const pairs: [string, string][] = []
    for (const { key, content } of this.#values) pairs.push([key, await content])
    if (this.#valueBytes > SMALL_BYTES) await this.#memory.turn(this.#valueBytes)
    return { pairs, files, release: () => this.#space.close() }
  }
}

/** A name without the folders that a client may send along. */
const lastSegment = (name: string) => name.split('/').findLast((part) => part !== '') ?? ''

/**
 * Reads a multipart form as it comes in: values in memory, files as `UploadSpace` has them. A part with a
 * name of a file is one, whatever else it says. Throws 400 for what is no whole form, 413 for one that says
 * that it has more than `maxBytes`, 400 for one that turns out to, RetryLater; what a disk says, if it is
 * full, as it is. The file of a body without a limit, a superuser's backup, is not counted. PocketBase:
 * Go's mime/multipart, ReadForm
 */
export async function readMultipart(
  incoming: IncomingMessage,
  maxBytes: number,
  memory: RequestMemory,
): Promise<MultipartForm> {
  const share = Number.isFinite(maxBytes) ? admission.temporaryFiles.open(memory.holder) : undefined
  const space = new UploadSpace(share, Number(incoming.headers['content-length'] ?? 0))
  const reader = new Reader(memory, space)
  try {
    const found = BOUNDARY.exec(incoming.headers['content-type'] ?? '')
    const boundary = found?.[1] ?? found?.[2] ?? ''
    await pipeline(paced(piecesOf(incoming, maxBytes), boundary, memory), parserOf(incoming, reader))
    return await reader.form()
  } catch (error) {
    await space.close()
    throw isAnswer(error) ? error : badRequest()
  }
}

/**
 * Pieces of a form that are not tiny. One with many parts waits for its turn; files pass at once.
 */
async function* paced(
  pieces: AsyncIterable<Buffer>,
  boundary: string,
  memory: RequestMemory,
): AsyncGenerator<Buffer> {
  let gathered = new ByteCollector()
  for await (const piece of pieces) {
    gathered.add(piece)
    if (gathered.size < PIECE_BYTES) continue
    const parts = countOf(boundary, gathered.bytes)
    if (parts > FREE_PARTS) await memory.turn(parts * PART_COST_BYTES)
    yield gathered.bytes
    gathered = new ByteCollector()
  }
  if (gathered.size > 0) yield gathered.bytes
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
