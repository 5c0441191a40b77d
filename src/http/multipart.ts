import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { badRequest } from '../errors.ts'
import { MEMORY_BYTES, Room, Spool } from '../files/spool.ts'
import { readUpload, type Upload, type Uploads } from '../files/upload.ts'
import { MAX_PARTS } from './body-limits.ts'
import { limitedBody } from './bytes.ts'

type Parser = InstanceType<typeof Busboy>

/** What the values of a form that are no files may have together. PocketBase: Go's mime/multipart */
const MAX_VALUE_BYTES = MEMORY_BYTES + (10 << 20)

/** A form that was read: its values in order, and its files, which take room until they are released. */
export interface MultipartForm {
  readonly pairs: readonly [key: string, value: string][]
  readonly files: Uploads
  release(): Promise<void>
}

/** A form while it comes in. */
class Reader {
  readonly pairs: [string, string][] = []
  readonly #room = new Room()
  readonly #files: { readonly key: string; readonly upload: Promise<Upload> }[] = []
  #valueBytes = 0

  value(key: string | undefined, value: string): void {
    if (!key) return
    this.#valueBytes += key.length + value.length
    if (this.#valueBytes > MAX_VALUE_BYTES) throw badRequest()
    this.pairs.push([key, value])
  }

  /** `failed` hears of what goes wrong with it. */
  file(key: string | undefined, name: string, stream: Readable, failed: (error: Error) => void): void {
    if (!key) return void stream.resume()
    const upload = this.#take(name, stream)
    upload.catch(failed)
    this.#files.push({ key, upload })
  }

  async #take(name: string, stream: Readable): Promise<Upload> {
    const spool = new Spool(this.#room)
    for await (const part of stream) await spool.write(part as Buffer)
    return readUpload(lastSegment(name), spool)
  }

  async files(): Promise<Uploads> {
    const files = new Map<string, Upload[]>()
    for (const { key, upload } of this.#files) {
      const known = files.get(key)
      if (known) known.push(await upload)
      else files.set(key, [await upload])
    }
    return files
  }

  release(): Promise<void> {
    return this.#room.close()
  }
}

/** A name without the folders that a client may send along. */
const lastSegment = (name: string) => name.split('/').findLast((part) => part !== '') ?? ''

/**
 * Reads a multipart form as it comes in: values in memory, files too as long as they are small. A part with a name of a
 * file is one, whatever else it says. Throws 400 for what is no whole form, and for one of more than `maxBytes`; what a disk
 * says, if it is full, as it is.
 * PocketBase: Go's mime/multipart, ReadForm
 */
export async function readMultipart(incoming: IncomingMessage, maxBytes: number): Promise<MultipartForm> {
  const reader = new Reader()
  try {
    await pipeline(limitedBody(incoming, maxBytes), parserOf(incoming, reader))
    const files = await reader.files()
    return { pairs: reader.pairs, files, release: () => reader.release() }
  } catch (error) {
    await reader.release()
    throw isOfDisk(error) ? error : badRequest()
  }
}

/** What the connection says never comes here as it is. */
const isOfDisk = (error: unknown) => error instanceof Error && 'syscall' in error

function parserOf(incoming: IncomingMessage, reader: Reader): Parser {
  const parser = new Busboy({
    headers: { 'content-type': incoming.headers['content-type'] ?? '' },
    preservePath: true,
    limits: { parts: MAX_PARTS, fieldSize: MAX_VALUE_BYTES + 1 },
    isPartAFile: (_, __, name) => Boolean(name),
  })
  parser.on('field', (key, value) => guarded(parser, () => reader.value(key, value)))
  parser.on('file', (key, stream, name) => reader.file(key, name, stream, (error) => parser.destroy(error)))
  parser.on('partsLimit', () => parser.destroy(badRequest()))
  return parser
}

function guarded(parser: Parser, work: () => void): void {
  try {
    work()
  } catch (error) {
    parser.destroy(error as Error)
  }
}
