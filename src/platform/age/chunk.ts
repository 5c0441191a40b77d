import { createCipheriv, createDecipheriv } from 'node:crypto'

const CIPHER = 'chacha20-poly1305'
const NONCE_BYTES = 12
export const TAG_BYTES = 16

export const FIRST_NONCE = Buffer.alloc(NONCE_BYTES)

export function makeNonce(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(number, NONCE_BYTES - 7, 6)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

/** Encrypts bytes; a tag of 16 bytes follows them. */
export function encryptChunk(key: Uint8Array, nonce: Uint8Array, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts what `encryptChunk` returned. Throws if it was changed. */
export function decryptChunk(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
}
