import {
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { UserError } from '../api-errors.ts'
import { decodeBech32 } from '../bech32.ts'
import { decryptChunk, encryptChunk, FIRST_NONCE, TAG_BYTES } from './chunk.ts'
import { type AgeIdentity, toPublicBytes, toPublicKey } from './keys.ts'

/** How every sealed file begins: https://age-encryption.org/v1 */
export const INTRO = 'age-encryption.org/v1\n'

/** A header has some 100 bytes for each recipient. */
export const MAX_HEADER_BYTES = 64 << 10

const FILE_KEY_BYTES = 16
const KEY_BYTES = 32
const MAC_LINE = '\n--- '

export const deriveKey = (secret: Uint8Array, salt: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, purpose, KEY_BYTES))

/** Writes the header, which has the file's key, encrypted for each recipient. */
export function writeHeader(fileKey: Uint8Array, recipients: readonly string[]): Buffer {
  const stanzas = recipients.map((recipient) =>
    wrapFileKey(fileKey, decodeBech32(recipient, 'age')!),
  )
  const signed = `${INTRO}${stanzas.join('')}---`
  return Buffer.from(`${signed} ${toBase64(computeMac(fileKey, signed))}\n`)
}

function wrapFileKey(fileKey: Uint8Array, recipient: Buffer): string {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const share = toPublicBytes(publicKey)
  const key = deriveWrapKey(privateKey, recipient, share, recipient)
  const wrapped = encryptChunk(key, FIRST_NONCE, fileKey)
  return `-> X25519 ${toBase64(share)}\n${toBase64(wrapped)}\n`
}

function deriveWrapKey(
  privateKey: KeyObject,
  other: Uint8Array,
  share: Uint8Array,
  recipient: Uint8Array,
): Buffer {
  const secret = diffieHellman({ privateKey, publicKey: toPublicKey(other) })
  return deriveKey(secret, Buffer.concat([share, recipient]), 'age-encryption.org/v1/X25519')
}

/** How many bytes the header has, with its last line; undefined while it is incomplete. */
export function findHeaderLength(bytes: Buffer): number | undefined {
  const mac = bytes.indexOf(MAC_LINE)
  const end = mac < 0 ? -1 : bytes.indexOf('\n', mac + MAC_LINE.length)
  return end < 0 ? undefined : end + 1
}

/** Decrypts the file's key. Throws a UserError if no identity can, or the header was changed. */
export function readFileKey(header: string, identities: readonly AgeIdentity[]): Buffer {
  const macAt = header.lastIndexOf(MAC_LINE) + MAC_LINE.length
  const fileKey = findFileKey(header.slice(INTRO.length, macAt - MAC_LINE.length), identities)
  if (!fileKey)
    throw new UserError('The file is sealed to other keys than the ones of the key file.')
  const mac = Buffer.from(header.slice(macAt), 'base64')
  const expected = computeMac(fileKey, header.slice(0, macAt - 1))
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected))
    throw new UserError('The header of the sealed file was changed.')
  return fileKey
}

function findFileKey(stanzas: string, identities: readonly AgeIdentity[]): Buffer | undefined {
  const lines = stanzas.split('\n')
  for (const [i, line] of lines.entries()) {
    const [arrow, kind, share = ''] = line.split(' ')
    const wrapped = Buffer.from(lines[i + 1] ?? '', 'base64')
    if (arrow !== '->' || kind !== 'X25519' || wrapped.length !== FILE_KEY_BYTES + TAG_BYTES)
      continue
    for (const identity of identities) {
      const fileKey = unwrapFileKey(Buffer.from(share, 'base64'), wrapped, identity)
      if (fileKey) return fileKey
    }
  }
  return undefined
}

function unwrapFileKey(
  share: Buffer,
  wrapped: Buffer,
  { secretKey, publicBytes }: AgeIdentity,
): Buffer | undefined {
  if (share.length !== KEY_BYTES) return undefined
  try {
    const key = deriveWrapKey(secretKey, share, share, publicBytes)
    return decryptChunk(key, FIRST_NONCE, wrapped)
  } catch {
    return undefined // sealed to another key
  }
}

const computeMac = (fileKey: Uint8Array, signed: string): Buffer =>
  createHmac('sha256', deriveKey(fileKey, Buffer.alloc(0), 'header'))
    .update(signed)
    .digest()

/** Base64 without padding. Keys and checksums fit in a line of 64 characters. */
const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64').replaceAll('=', '')
