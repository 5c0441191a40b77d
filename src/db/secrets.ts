import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Db } from './open.ts'
import { readOrMakeParam } from './params.ts'

const PARAM = 'secretKey'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** The server's key for one purpose, the same on all nodes. */
async function keyFor(db: Db, purpose: string): Promise<Buffer> {
  const made = async () => JSON.stringify(randomBytes(KEY_BYTES).toString('base64'))
  const key = Buffer.from(JSON.parse(await readOrMakeParam(db, PARAM, made)) as string, 'base64')
  return createHmac('sha256', key).update(purpose).digest()
}

/** Encrypts a text. `unseal` needs the same purpose and owner. */
export async function seal(db: Db, purpose: string, owner: string, text: string): Promise<string> {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, await keyFor(db, purpose), iv).setAAD(Buffer.from(owner))
  const sealed = [iv, cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64')
}

/** Opens a sealed text; undefined if it was sealed with another key, purpose or owner. */
export async function unseal(db: Db, purpose: string, owner: string, sealed: string) {
  const bytes = Buffer.from(sealed, 'base64')
  const key = await keyFor(db, purpose)
  const iv = bytes.subarray(0, IV_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, key, iv)
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-TAG_BYTES))
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

/** A keyed hash of a text: guesses cannot be tested without the server's key. */
export async function keyedHash(db: Db, purpose: string, text: string): Promise<string> {
  return createHmac('sha256', await keyFor(db, purpose))
    .update(text)
    .digest('base64')
}
