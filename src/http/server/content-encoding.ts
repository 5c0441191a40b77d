import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { ApiError, badRequest } from '../../platform/api-errors.ts'

type Decode = (start: Buffer) => Transform

/** Makers of decoders by the name of an encoding, for a body with these first bytes. RFC 9110, 8.4.1 */
const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // some programs leave out the header of zlib: RFC 1950, 2.2
  deflate: (start) => (hasZlibHeader(start) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

const hasZlibHeader = ([first = 0, second]: Buffer) =>
  (first & 0x0f) === 8 && (second === undefined || ((first << 8) | second) % 31 === 0)

/** The encodings of a body, without `identity`; '' for none. */
const readEncoding = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
    .join(', ')

/** Whether a body is compressed, so that its length says nothing of the bytes in it. */
export const isEncoded = (incoming: IncomingMessage): boolean =>
  incoming.headers['content-encoding'] !== undefined && readEncoding(incoming) !== ''

/** Errors of Node's decoders: of zlib, brotli and zstd. */
const DECODING = /^(?:Z_|ERR__|ZSTD_)/

/**
 * The pieces of a body without its compression, at the pace at which they are read. The rest of the body may
 * be read later. Throws 415 for an unknown encoding or several, and 400 for bytes that are not in it.
 */
export async function* decodePieces(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  const encoding = readEncoding(incoming)
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
  if (encoding === '') return yield* incoming.iterator({ destroyOnReturn: false })
  if (!decode)
    throw new ApiError(
      415,
      `The Content-Encoding "${encoding.slice(0, 40)}" is not known. Send gzip, deflate, br, zstd, or none.`,
    )
  const start = await peek(incoming)
  if (!start) return
  const decoder = decode(start)
  const fail = (error: Error) => decoder.destroy(error)
  incoming.on('error', fail).pipe(decoder)
  try {
    yield* decoder as AsyncIterable<Buffer>
  } catch (error) {
    if (!DECODING.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw badRequest(`The body is not valid ${encoding}.`)
  } finally {
    incoming.unpipe(decoder).off('error', fail)
  }
}

/** The bytes of a body that have arrived, which stay in it; null for an empty body. */
async function peek(incoming: IncomingMessage): Promise<Buffer | null> {
  if (incoming.readableLength === 0 && !incoming.readableEnded) await once(incoming, 'readable')
  const start = incoming.read() as Buffer | null
  if (start) incoming.unshift(start)
  return start
}
