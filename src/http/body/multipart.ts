import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { openUploadSpace, type UploadSpace } from '../../engine/files/temporary-upload.ts'
import { readUpload, type Upload } from '../../engine/files/upload.ts'
import { ApiError, badRequest, RetryLater } from '../../platform/api-errors.ts'
import type { GrowingRoom } from '../../platform/limits/byte-budget.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { type FormPair, type FormPart, readCharset } from '../../platform/tools/charsets.ts'
import { type RequestMemory, SMALL_BYTES } from '../limit-request-memory.ts'
import { ByteCollector, countOccurrences, readPieces } from './raw-body.ts'

type Parser = InstanceType<typeof Busboy>

/** Maximum bytes of all form values together, without files. PocketBase: Go's mime/multipart */
const MAX_VALUE_BYTES = 26 << 20

/** Maximum parts of a form, as in Go's mime/multipart. Reading a part takes some 40 µs. */
const MAX_PARTS = 1_000
const TOO_MANY_PARTS = 'A form may have at most 1,000 parts.'

const FREE_PARTS = 20
const PART_COST_BYTES = 1 << 10
const PIECE_BYTES = 4 << 10

const BOUNDARY = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i

type Decode = (parts: readonly FormPart[]) => readonly FormPair[]

/** As Go does, whatever charset a part declares. */
const decodeAsUtf8: Decode = (parts) =>
  parts.map(({ name, value }) => [name, value.toString('utf8')])

function makePartReader(memory: RequestMemory, room: GrowingRoom, space: UploadSpace) {
  const files: [key: string, Promise<Upload>][] = []
  const values: [key: string, charset: string, Promise<Buffer>][] = []
  let valueBytes = 0
  const readFile = async (name: string, stream: Readable): Promise<Upload> => {
    const spool = space.makeSpool()
    for await (const part of stream as AsyncIterable<Buffer>) await spool.write(part)
    return readUpload(name, spool)
  }
  const readValue = async (stream: Readable): Promise<Buffer> => {
    const value = new ByteCollector()
    for await (const part of stream as AsyncIterable<Buffer>) {
      valueBytes += part.length
      if (valueBytes > MAX_VALUE_BYTES) throw badRequest()
      if (valueBytes > SMALL_BYTES) await room.growTo(valueBytes)
      value.add(part)
    }
    return value.bytes
  }
  return {
    file(key: string, name: string, stream: Readable, failed: (error: Error) => void): void {
      const content = readFile(cutToLastSegment(name), stream)
      content.catch(failed)
      files.push([key, content])
    },
    value(key: string, charset: string, stream: Readable, failed: (error: Error) => void): void {
      valueBytes += key.length
      const content = readValue(stream)
      content.catch(failed)
      values.push([key, charset, content])
    },
    /** Waits for all values and files. The files use temporary disk space until `release` is called. */
    async form(decode: Decode) {
      const found = new Map<string, Upload[]>()
      for (const [key, content] of files) found.set(key, [...(found.get(key) ?? []), await content])
      const parts: FormPart[] = []
      for (const [name, charset, content] of values)
        parts.push({ name, charset, value: await content })
      if (valueBytes > SMALL_BYTES) await memory.turn(valueBytes)
      return { pairs: decode(parts), files: found, release: () => space.close() }
    },
  }
}

const cutToLastSegment = (name: string) => name.split('/').findLast((part) => part !== '') ?? ''

/** Reads a multipart form. A part with a file name is a file. Throws 400, 413, RetryLater. */
export async function readMultipart(
  incoming: IncomingMessage,
  maxBytes: number,
  memory: RequestMemory,
  decode: Decode = decodeAsUtf8,
) {
  const room = await memory.roomForBody()
  const share = Number.isFinite(maxBytes) ? admission.temporaryFiles.open(memory.holder) : undefined
  const space = openUploadSpace(share, Number(incoming.headers['content-length'] ?? 0))
  const reader = makePartReader(memory, room, space)
  try {
    const found = BOUNDARY.exec(incoming.headers['content-type'] ?? '')
    const boundary = found?.[1] ?? found?.[2] ?? ''
    await pipeline(
      pacePieces(readPieces(incoming, maxBytes), boundary, memory),
      makeMultipartParser(incoming, reader),
    )
    return await reader.form(decode)
  } catch (error) {
    await space.close()
    throw isAnswer(error) ? error : badRequest()
  }
}

/** Joins tiny pieces. A joined piece with many form parts waits for the client's turn on the CPU. */
async function* pacePieces(pieces: AsyncIterable<Buffer>, boundary: string, memory: RequestMemory) {
  let gathered = new ByteCollector()
  for await (const piece of pieces) {
    gathered.add(piece)
    if (gathered.size < PIECE_BYTES) continue
    const parts = boundary === '' ? 0 : countOccurrences(boundary, gathered.bytes)
    if (parts > FREE_PARTS) await memory.turn(parts * PART_COST_BYTES)
    yield gathered.bytes
    gathered = new ByteCollector()
  }
  if (gathered.size > 0) yield gathered.bytes
}

/** Whether to throw this error as it is: a refusal or a disk error. All others mean a malformed form. */
const isAnswer = (error: unknown) =>
  error instanceof RetryLater ||
  error instanceof ApiError ||
  (error instanceof Error && 'syscall' in error)

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>
interface Parts {
  on(event: 'part', found: (part: HeaderEvents) => void): void
}
interface HeaderEvents {
  prependListener(event: 'header', found: (header: PartHeader) => void): void
}

/** Busboy's own parser of parts. */
const findPartParser = (parser: Parser): Parts =>
  (parser as unknown as { readonly _parser: { readonly parser: Parts } })._parser.parser

/**
 * Makes a parser that reads all values as files: it would buffer other values in memory that no limit counts.
 */
function makeMultipartParser(
  incoming: IncomingMessage,
  reader: ReturnType<typeof makePartReader>,
): Parser {
  const parser = new Busboy({
    headers: { 'content-type': incoming.headers['content-type'] ?? '' },
    preservePath: true,
    limits: { parts: MAX_PARTS },
    isPartAFile: () => true,
  })
  const failed = (error: Error) => void parser.destroy(error)
  let charset = ''
  // Busboy gives no charset of a part that it reads as a file
  findPartParser(parser).on('part', (part) =>
    part.prependListener('header', (header) => {
      charset = readCharset(header['content-type']?.[0] ?? '')
    }),
  )
  parser.on('file', (key: string | undefined, stream, name: string | undefined) => {
    if (!key) stream.resume()
    else if (name) reader.file(key, name, stream, failed)
    else reader.value(key, charset, stream, failed)
  })
  parser.on('partsLimit', () => parser.destroy(badRequest(TOO_MANY_PARTS)))
  return parser
}
