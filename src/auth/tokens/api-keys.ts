import { z } from 'zod'
import type { Catalog, Store } from '../../collections/catalog.ts'
import type { AuthCollection, Collection } from '../../collections/collection.ts'
import { quote, tableName } from '../../collections/names.ts'
import { now } from '../../fields/types/date.ts'
import type { Extension } from '../../records/extension.ts'
import { statementName } from '../../records/select.ts'
import type { AuthRecord } from '../../request/request.ts'
import { Lru } from '../../tools/lru.ts'
import { randomText } from '../../tools/random.ts'
import { authColumns, toAuthRecord } from '../auth-rows.ts'
import type { Scopes } from './scopes.ts'
import { sha256 } from './secrets.ts'

/** The collection of keys, by its id. */
const API_KEYS = 'api_keys'

/** How each key begins. */
export const PREFIX = 'psk_'
/** With the prefix more than the 64 bytes of an HMAC block: see the signatures of Twilio's API. */
const RANDOM_LENGTH = 64
/** As much of a key as its owner sees later, to tell it from others. */
const VISIBLE_LENGTH = PREFIX.length + 6
/** `last_used_at` is that exact. */
const TOUCH_MS = 60_000

/** What nobody but the server says of a key. */
export const SET_BY_SERVER = ['prefix', 'hash', 'last_used_at'] as const

/** What only the answer to the create of a key holds. */
export const NEW_KEY = z.object({
  key: z.string().meta({ description: 'The key itself, for `X-API-Key`. Shown this once.' }),
})

/**
 * API keys are made when their record is created: the answer of that one request holds the key as `key`, the
 * store only its SHA-256 and its first characters. Whatever a client says about these fields is overruled.
 */
export const apiKeysExtension: Extension = {
  grantsAccess: true,
  async beforeCreate(_store, values): Promise<z.output<typeof NEW_KEY>> {
    const key = PREFIX + randomText(RANDOM_LENGTH)
    Object.assign(values, { prefix: key.slice(0, VISIBLE_LENGTH), hash: sha256(key), last_used_at: '' })
    return { key }
  },
  async beforeUpdate(_store, values, old) {
    for (const field of SET_BY_SERVER) values[field] = old[field]!
    return {}
  },
}

/** An API key and its user, as they were read. `version`: `xmin` of the key's row. */
export interface KeyHolder {
  readonly auth: AuthRecord
  readonly id: string
  readonly version: string
  /** In PocketBase's form, '' for never. */
  readonly expiresAt: string
  readonly lastUsedAt: string
  readonly scopes: Scopes
  /** The key opens Twilio's API, too. */
  readonly isTwilio: boolean
}

const MAX_KNOWN = 10_000
/** Whose is which key, a catalog at a time. */
const known = new WeakMap<Catalog, Lru<string, KeyHolder | null>>()

/**
 * The user whose API key this is; null for a key that is unknown or expired, also once its user is gone or
 * disabled. One look-up, straight from the tables; with `cached` it may be what was read before, then the
 * caller must compare both versions in a statement of its own and ask again without. Notes the use of the
 * key, at most once a minute.
 */
export async function identifyKey(
  store: Store,
  key: string,
  { cached = false }: { cached?: boolean } = {},
): Promise<KeyHolder | null> {
  if (!key.startsWith(PREFIX)) return null
  const memory = memoryOf(store.catalog)
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

/**
 * The user of a key from memory alone, without any look: undefined for one that was not used lately. Not to
 * decide by.
 */
export const cachedKeyHolder = (store: Store, key: string): AuthRecord | undefined =>
  known.get(store.catalog)?.get(key)?.auth

function memoryOf(catalog: Catalog): Lru<string, KeyHolder | null> {
  const memory = known.get(catalog) ?? new Lru(MAX_KNOWN)
  known.set(catalog, memory)
  return memory
}

type KeyColumns = [
  id: string,
  version: string,
  expiresAt: string,
  lastUsedAt: string,
  scopes: Scopes,
  isTwilio: boolean,
]

/** The same of a key by its id. Does not note a use. */
export const keyHolderById = (store: Store, id: string): Promise<KeyHolder | null> =>
  findBy(store, 'k.id = $1', id)

// the condition repeats that of the partial index on hashes, else Postgres could not use it
const findHolder = (store: Store, key: string) => findBy(store, `k.hash = $1 and k.hash <> ''`, sha256(key))

async function findBy(store: Store, condition: string, value: string): Promise<KeyHolder | null> {
  const { keys, users } = collectionsOf(store)
  const text = `select ${authColumns(store, users)}, k.id, k.xmin::text, k.expires_at, k.last_used_at, k.scopes, k.twilio
    from ${quote(tableName(keys))} k join ${quote(tableName(users))} b on b.id = k."user"
    where ${condition} and (k.expires_at = '' or k.expires_at > $2)`
  const { rows } = await store.db.lookUp(text, [value, now()], statementName(store.catalog, text))
  const row = rows[0]
  if (!row) return null
  const [id, version, expiresAt, lastUsedAt, scopes, isTwilio] = row.slice(-6) as KeyColumns
  const auth = toAuthRecord(users, row)
  return auth.isDisabled ? null : { auth, id, version, expiresAt, lastUsedAt, scopes, isTwilio }
}

const MAX_TOUCHED = 10_000
/** When this process last noted the use of a key, by its id. */
const touched = new Lru<string, number>(MAX_TOUCHED)

/** Notes the use of a key without making its request wait. A note that fails is missed by nobody. */
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
