import { z } from 'zod'
import {
  type AuthCollection,
  type Catalog,
  type Collection,
  quote,
  type Store,
  tableName,
} from '../../collections/catalog.ts'
import { now } from '../../fields/types/date.ts'
import type { Extension } from '../../records/extension.ts'
import type { AuthRecord } from '../../request/request.ts'
import { Lru, memoize } from '../../tools/lru.ts'
import { randomText } from '../../tools/random.ts'
import { authColumns, lookUp, toAuthRecord } from '../auth-rows.ts'
import type { Scopes } from './scopes.ts'
import { sha256 } from './secrets.ts'

const API_KEYS = 'api_keys'

const PREFIX = 'psk_'
/** The beginning of a key: made here, or imported from Vendel. */
const KEY = /^(?:psk|vk)_/
export const isKey = (text: string): boolean => KEY.test(text)

/** Makes a key, with its prefix, longer than HMAC's block of 64 bytes: see signatures of Twilio's API. */
const RANDOM_LENGTH = 64
/** Characters of a key that its owner sees later, to recognize it. */
const VISIBLE_LENGTH = PREFIX.length + 6
/** Resolution of `last_used_at`. */
const TOUCH_MS = 60_000

const SET_BY_SERVER = ['prefix', 'hash', 'last_used_at'] as const

const NEW_KEY = z.object({
  key: z.string().describe('The key itself, for `X-API-Key`. Shown this once.'),
})

/** Makes a key with its record. Only this answer has it, as `key`; the database has its SHA-256. */
export const apiKeysExtension: Extension = {
  grantsAccess: true,
  setByServer: SET_BY_SERVER,
  shownOnce: NEW_KEY.shape,
  async beforeCreate(_store, values): Promise<z.output<typeof NEW_KEY>> {
    const key = PREFIX + randomText(RANDOM_LENGTH)
    Object.assign(values, { prefix: key.slice(0, VISIBLE_LENGTH), hash: sha256(key), last_used_at: '' })
    return { key }
  },
  async beforeUpdate(_store, values, old) {
    for (const field of SET_BY_SERVER) values[field] = old[field]!
  },
}

/** An API key and its user as read from the database. `version`: `xmin` of the key's row. */
export interface KeyHolder {
  readonly auth: AuthRecord
  readonly id: string
  readonly version: string
  /** A date in PocketBase's format; '' for never. */
  readonly expiresAt: string
  readonly lastUsedAt: string
  readonly scopes: Scopes
  readonly isTwilio: boolean
}

/** Whether a user name is the id or the email of a key's user. */
export const isNamed = ({ auth }: KeyHolder, name: string): boolean =>
  name === auth.id || (name !== '' && name.toLowerCase() === String(auth.values.email).toLowerCase())

const MAX_KNOWN = 10_000
const keysOf = memoize((_: Catalog) => new Lru<string, KeyHolder | null>(MAX_KNOWN))

/**
 * Finds the user of an API key; null if the key is unknown or expired, or its user deleted or disabled. With
 * `cached` the result may be out of date: the caller compares the versions of key and user in its own
 * statement and, if they differ, calls again without `cached`. Sets `last_used_at` at most once a minute.
 */
export async function identifyKey(store: Store, key: string, { cached = false }: { cached?: boolean } = {}) {
  if (!isKey(key)) return null
  const memory = keysOf(store.catalog)
  const hit = cached ? memory.get(key) : undefined
  const isLive = hit && (hit.expiresAt === '' || hit.expiresAt > now())
  const holder = isLive ? hit : await findHolder(store, key)
  if (!holder) {
    if (memory.get(key)) memory.set(key, null)
    return null
  }
  if (holder !== hit) memory.set(key, holder)
  touch(store, holder)
  return holder
}

/** The user of a key from the cache; undefined if it is not cached. Not for authorization. */
export const cachedKeyHolder = (catalog: Catalog, key: string): AuthRecord | undefined =>
  keysOf(catalog).get(key)?.auth

type KeyColumns = [id: string, version: string, expires: string, used: string, Scopes, isTwilio: boolean]

/** The user of the key with this id; null if it is invalid. Does not update `last_used_at`. */
export const keyHolderById = (store: Store, id: string): Promise<KeyHolder | null> =>
  findBy(store, 'k.id = $1', id)

// repeats the condition of the partial index on hashes, so that Postgres can use that index
const findHolder = (store: Store, key: string) => findBy(store, `k.hash = $1 and k.hash <> ''`, sha256(key))

async function findBy(store: Store, condition: string, value: string): Promise<KeyHolder | null> {
  const { keys, users } = collectionsOf(store)
  const text = `select ${authColumns(store, users)}, k.id, k.xmin::text, k.expires_at, k.last_used_at, k.scopes, k.twilio
    from ${quote(tableName(keys))} k join ${quote(tableName(users))} b on b.id = k."user"
    where ${condition} and (k.expires_at = '' or k.expires_at > $2)`
  const [row] = await lookUp(store, text, [value, now()])
  if (!row) return null
  const [id, version, expiresAt, lastUsedAt, scopes, isTwilio] = row.slice(-6) as KeyColumns
  const auth = toAuthRecord(users, row)
  return auth.isDisabled ? null : { auth, id, version, expiresAt, lastUsedAt, scopes, isTwilio }
}

const MAX_TOUCHED = 10_000
/** Last update of `last_used_at` by this process, by key id. */
const touched = new Lru<string, number>(MAX_TOUCHED)

/** Updates `last_used_at` in the background. A failure is ignored. */
function touch(store: Store, { id, lastUsedAt }: KeyHolder): void {
  const nowMs = Date.now()
  if (nowMs - Math.max(touched.get(id) ?? 0, Date.parse(lastUsedAt) || 0) < TOUCH_MS) return
  touched.set(id, nowMs)
  const text = `update ${quote(tableName(collectionsOf(store).keys))} set last_used_at = $2 where id = $1`
  store.db.query(text, [id, now()]).catch(() => {})
}

function collectionsOf(store: Store): { keys: Collection; users: AuthCollection } {
  const keys = store.catalog.find(API_KEYS)
  const owner = keys && store.catalog.field(keys, 'user')
  const users = owner?.type === 'relation' ? store.catalog.find(owner.collectionId) : undefined
  if (!keys || users?.type !== 'auth') throw new Error(`The collection ${API_KEYS} has no users`)
  return { keys, users }
}
