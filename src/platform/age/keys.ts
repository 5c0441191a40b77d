import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { decodeBech32 } from '../bech32.ts'

/** A key pair of age: its secret key opens what was sealed to its public key. */
export interface AgeIdentity {
  readonly secretKey: KeyObject
  readonly publicBytes: Buffer
}

const SECRET_KEY = 'age-secret-key-'

/** How DER begins for an X25519 key: RFC 8410. The key's 32 bytes follow. */
const SPKI = Buffer.from('302a300506032b656e032100', 'hex')
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')

export const toPublicKey = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })

export const toPublicBytes = (publicKey: KeyObject): Buffer =>
  publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI.length)

/** Reads the text of a key file of `age-keygen`: a secret key each line, and comments. */
export function parseIdentities(text: string): AgeIdentity[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .map((line) => decodeBech32(line, SECRET_KEY))
    .filter((bytes) => bytes !== undefined)
    .map((bytes) => {
      const key = Buffer.concat([PKCS8, bytes])
      const secretKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
      return { secretKey, publicBytes: toPublicBytes(createPublicKey(secretKey)) }
    })
}
