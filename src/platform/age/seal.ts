import { randomBytes } from 'node:crypto'
import { UserError } from '../api-errors.ts'
import { decryptChunk, encryptChunk, makeNonce, TAG_BYTES } from './chunk.ts'
import {
  deriveKey,
  findHeaderLength,
  INTRO,
  MAX_HEADER_BYTES,
  readFileKey,
  writeHeader,
} from './header.ts'
import type { AgeIdentity } from './keys.ts'

type Bytes = AsyncIterable<Uint8Array>

const CHUNK_BYTES = 64 << 10
const KEY_BYTES = 16

/**
 * Seals bytes in age's format, so that only holders of the recipients' secret keys can read them. Node's own
 * ciphers need a third of the time of those in the package `age-encryption`, which are JavaScript.
 */
export async function* seal(content: Bytes, recipients: readonly string[]): AsyncGenerator<Buffer> {
  const fileKey = randomBytes(KEY_BYTES)
  const salt = randomBytes(KEY_BYTES)
  yield Buffer.concat([writeHeader(fileKey, recipients), salt])
  const key = deriveKey(fileKey, salt, 'payload')
  for await (const { bytes, number, isLast } of splitIntoChunks(content, CHUNK_BYTES))
    yield encryptChunk(key, makeNonce(number, isLast), bytes)
}

/** Opens what `seal` or the program `age` sealed. Throws a UserError for other keys and changed bytes. */
export async function* unseal(
  content: Bytes,
  identities: readonly AgeIdentity[],
): AsyncGenerator<Buffer> {
  const { head, rest } = await splitOffHead(content)
  const fileKey = readFileKey(head.subarray(0, -KEY_BYTES).toString('latin1'), identities)
  const key = deriveKey(fileKey, head.subarray(-KEY_BYTES), 'payload')
  for await (const { bytes, number, isLast } of splitIntoChunks(rest, CHUNK_BYTES + TAG_BYTES)) {
    try {
      yield decryptChunk(key, makeNonce(number, isLast), bytes)
    } catch (cause) {
      throw new UserError('The sealed file is incomplete, or was changed.', { cause })
    }
  }
}

/** Whether these first bytes of a file are the ones of a sealed file. */
export const isSealed = (start: Buffer): boolean =>
  start.subarray(0, INTRO.length).equals(Buffer.from(INTRO))

/** Splits content into header with salt, and the chunks after them. */
async function splitOffHead(content: Bytes): Promise<{ head: Buffer; rest: Bytes }> {
  const source = content[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  for (;;) {
    const length = findHeaderLength(start)
    if (length !== undefined && start.length >= length + KEY_BYTES) {
      const end = length + KEY_BYTES
      return { head: start.subarray(0, end), rest: continueWith(start.subarray(end), source) }
    }
    const { value, done } = await source.next()
    if (done || start.length > MAX_HEADER_BYTES)
      throw new UserError('The sealed file is incomplete, or was changed.')
    start = Buffer.concat([start, value])
  }
}

async function* continueWith(
  first: Buffer,
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first
  try {
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}

/** Cuts content into chunks of `size` bytes. The last is shorter or full, and empty only without content. */
async function* splitIntoChunks(content: Bytes, size: number) {
  let number = 0
  let waiting = Buffer.alloc(0)
  for await (const piece of content) {
    waiting = waiting.length > 0 ? Buffer.concat([waiting, piece]) : Buffer.from(piece)
    while (waiting.length > size) {
      yield { bytes: waiting.subarray(0, size), number: number++, isLast: false }
      waiting = waiting.subarray(size)
    }
  }
  yield { bytes: waiting, number, isLast: true }
}
