import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Db } from './open.ts'
import { queries } from './queries.ts'

const PARAM = 'secretKey'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** The key for one purpose, 32 bytes, derived from the secret that all nodes share. */
export async function makePurposeKey(db: Db, purpose: string): Promise<Buffer> {
  const made = async () => JSON.stringify(randomBytes(KEY_BYTES).toString('base64'))
  return deriveKey(await loadOrMakeParam(db, PARAM, made), purpose)
}

/** Like `makePurposeKey`, but writes nothing: undefined if no key was ever used. */
export async function findPurposeKey(db: Db, purpose: string): Promise<Buffer | undefined> {
  const secret = await loadParam(db, PARAM)
  return secret === undefined ? undefined : deriveKey(secret, purpose)
}

function deriveKey(secret: string, purpose: string): Buffer {
  const key = Buffer.from(JSON.parse(secret) as string, 'base64')
  return createHmac('sha256', key).update(purpose).digest()
}

/** Encrypts a text. `unsealSecret` needs the same purpose and owner. */
export async function sealSecret(
  db: Db,
  purpose: string,
  owner: string,
  text: string,
): Promise<string> {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, await makePurposeKey(db, purpose), iv).setAAD(
    Buffer.from(owner),
  )
  const sealed = [iv, cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64')
}

/** Decrypts a text from `sealSecret`; undefined if another key, purpose or owner was used there. */
export async function unsealSecret(db: Db, purpose: string, owner: string, sealed: string) {
  const bytes = Buffer.from(sealed, 'base64')
  const key = await makePurposeKey(db, purpose)
  const iv = bytes.subarray(0, IV_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, key, iv)
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-TAG_BYTES))
    return (
      decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') +
      decipher.final('utf8')
    )
  } catch {
    return undefined
  }
}

/** A keyed hash of a text. A thief of the hash cannot test guesses of the text without the server's key. */
export async function hashWithKey(db: Db, purpose: string, text: string): Promise<string> {
  return createHmac('sha256', await makePurposeKey(db, purpose))
    .update(text)
    .digest('base64')
}

/** A stored parameter of the server, such as the settings, as JSON text; undefined if never written. */
export async function loadParam(db: Db, key: string, lock = false): Promise<string | undefined> {
  const param = await queries(db)
    .selectFrom('_params')
    .select('value')
    .where('key', '=', key)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return param?.value
}

export async function addStoredParam(db: Db, key: string, value: string): Promise<void> {
  await queries(db)
    .insertInto('_params')
    .values({ key, value })
    .onConflict((found) => found.doNothing())
    .execute()
}

export async function writeStoredParam(db: Db, key: string, value: string): Promise<void> {
  await queries(db)
    .insertInto('_params')
    .values({ key, value })
    .onConflict((found) =>
      found.column('key').doUpdateSet(({ ref }) => ({ value: ref('excluded.value') })),
    )
    .execute()
}

/** Reads a parameter, and creates it if it is missing. If several nodes create it, the first one wins. */
export async function loadOrMakeParam(
  db: Db,
  key: string,
  make: () => Promise<string>,
): Promise<string> {
  const known = await loadParam(db, key)
  if (known !== undefined) return known
  await addStoredParam(db, key, await make())
  return (await loadParam(db, key))!
}
