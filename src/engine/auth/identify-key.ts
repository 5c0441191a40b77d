import { queries } from '../../platform/db/queries.ts'
import { Lru, memoize } from '../../platform/tools/lru.ts'
import type { Catalog, Store } from '../collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../collections/collection.ts'
import { quoteName, toTableName } from '../collections/sql-names.ts'
import { formatNow } from '../fields/parse-date.ts'
import { isAuthFresh } from '../records/check-auth-version.ts'
import type { AuthRecord } from '../request/request.ts'
import type { Scopes } from '../request/scopes.ts'
import { isAllowedAt, requireAllowedAddress, splitAddresses } from './allowed-addresses.ts'
import { selectFreshRows, toAuthRecord, writeAuthColumns } from './find-auth-record.ts'
import { hashSha256 } from './tokens.ts'

/** The prefix of API keys: `psk_` of keys made here, `vk_` of keys imported from Vendel, another gateway. */
const KEY = /^(?:psk|vk)_/
const KEYS = /(?:psk|vk)_\w+/g
export const isKey = (text: string): boolean => KEY.test(text)

/** A pattern of API keys anywhere in a text. */
export const findApiKeys = (text: string): readonly string[] => text.match(KEYS) ?? []

const TOUCH_MS = 60_000

/** An API key and its user, as read from the database. */
export interface KeyHolder {
  readonly auth: AuthRecord
  readonly id: string
  /** When its use ends, as `sms_limits_of` reads it. A change of the key changes `auth.version`. */
  readonly version: string
  /** The prefix of the secret that was used. After a rotation, a key has two valid secrets for a time. */
  readonly secret: string
  /** When this secret was last used; '' if the key's other secret was used later. */
  readonly lastUsedAt: string
  readonly scopes: Scopes
  readonly isTwilio: boolean
  readonly name: string
  /** Where the key may be used; [] for everywhere. */
  readonly addresses: readonly string[]
}

/** Whether a user name is the id or the email of a key's user. */
export const isKeyOwnerName = ({ auth }: KeyHolder, name: string): boolean =>
  name === auth.id ||
  (name !== '' && name.toLowerCase() === String(auth.values.email).toLowerCase())

const MAX_KNOWN = 10_000
const keysOf = memoize((_: Catalog) => new Lru<string, KeyHolder | null>(MAX_KNOWN))

/**
 * Finds the user of an API key; null if the key is unknown, disabled or expired, or its user deleted or
 * disabled. With `cached` the result may be out of date: the caller's SQL must compare the version of the
 * user; if it differs, call again without `cached`. Stores the last use, by address `ip`. Throws 403 if the
 * key may not be used at this address.
 */
export async function identifyKey(
  store: Store,
  { key, ip }: { readonly key: string; readonly ip: string },
  { cached = false }: { cached?: boolean } = {},
) {
  if (!isKey(key)) return null
  const memory = keysOf(store.catalog)
  const known = findCachedKeyHolder(store.catalog, key, ip)
  const hit = known && (cached || (await isAuthFresh(store, known.auth))) ? known : undefined
  const holder =
    hit ??
    (await selectKeyHolder(store, IS_ITS_HASH, 'k.hash = $1', [hashSha256(key), formatNow()]))
  if (!holder) {
    if (memory.get(key)) memory.set(key, null)
    return null
  }
  if (holder !== hit) memory.set(key, holder)
  requireKeyAddress(store, holder, ip)
  recordKeyUse(store, holder, ip)
  return holder
}

/** Throws 403 if the key may not be used at this address. */
const requireKeyAddress = (
  store: Store,
  { auth, id, name, addresses }: KeyHolder,
  ip: string,
): void =>
  requireAllowedAddress(store, addresses, ip, {
    user: auth.id,
    collection: 'api_keys',
    record: id,
    name,
  })

/** Whether a cached key may be used at this address, and its time has not ended. */
export const isKeyAllowedAt = ({ auth: { until }, addresses }: KeyHolder, ip: string): boolean =>
  (until === '' || until > formatNow()) && isAllowedAt(addresses, ip)

/**
 * The cached holder of a key; undefined if not cached, or if the key may not be used at this address. Not for
 * authorization: it may be outdated.
 */
export function findCachedKeyHolder(
  catalog: Catalog,
  key: string,
  ip: string,
): KeyHolder | undefined {
  const hit = keysOf(catalog).get(key)
  return hit && isKeyAllowedAt(hit, ip) ? hit : undefined
}

const KEY_COLUMNS = 8
type KeyColumns = [
  id: string,
  secret: string,
  expires: string,
  lastUsed: string,
  scopes: Scopes,
  isTwilio: boolean,
  name: string,
  addresses: string,
]

/**
 * Finds the user of a key by the key's id and a secret's prefix (null: the current secret). Null if the key
 * or the secret is invalid. `until`: when the caller's use of it ends, if not earlier with the key. Throws if
 * the key may not be used at the address `ip`.
 */
export async function findKeyHolderById(
  store: Store,
  id: string,
  secret: string | null,
  until: string,
  ip: string,
): Promise<KeyHolder | null> {
  const key = await selectKeyHolder(
    store,
    `k.id = $1 and (${IS_CURRENT} or k.previous_prefix = $3)`,
    IS_CURRENT,
    [id, formatNow(), secret],
    until,
  )
  if (key) requireKeyAddress(store, key, ip)
  return key
}
const IS_CURRENT = 'k.prefix = coalesce($3, k.prefix)'

// `<> ''` is the condition of the partial indexes on the hashes; without it Postgres could not use them
const IS_ITS_HASH = `(k.hash = $1 and k.hash <> '' or k.previous_hash = $1 and k.previous_hash <> '')`

/**
 * Finds a key and its user. `isCurrent`: SQL that is true if the current secret was given, false for the
 * previous one. `$2` is the time now.
 */
async function selectKeyHolder(
  store: Store,
  condition: string,
  isCurrent: string,
  values: readonly (string | null)[],
  end = '',
) {
  const users = store.catalog.find(USERS_ID) as AuthCollection
  const text = `select ${writeAuthColumns(store, users)}, k.id, s.prefix,
      case when k.expires_at <> '' and (s.until = '' or k.expires_at < s.until) then k.expires_at else s.until end,
      case when k.last_used_prefix in ('', s.prefix) then k.last_used_at else '' end, k.scopes, k.twilio, k.name, k.addresses
    from api_keys k join ${quoteName(toTableName(users))} b on b.id = k."user"
    cross join lateral (
      select case when ${isCurrent} then k.prefix else k.previous_prefix end as prefix,
        case when ${isCurrent} then '' else k.previous_until end as until
    ) s
    where ${condition} and not k.disabled and (k.expires_at = '' or k.expires_at > $2)
      and (${isCurrent} or k.previous_until > $2)`
  const [row] = await selectFreshRows(store, text, values)
  if (!row) return null
  const [id, secret, keyEnd, lastUsedAt, scopes, isTwilio, name, addresses] = row.slice(
    -KEY_COLUMNS,
  ) as KeyColumns
  const until = keyEnd === '' || (end !== '' && end < keyEnd) ? end : keyEnd
  const auth = toAuthRecord(users, row, { isByKey: true, until })
  if (auth.isDisabled) return null
  const uses = { lastUsedAt, scopes, isTwilio, addresses: splitAddresses(addresses) }
  return { auth, id, version: `until ${until}`, secret, name, ...uses }
}

const MAX_TOUCHED = 10_000
const touched = new Lru<string, number>(MAX_TOUCHED)

/** Stores a key's last use in the background, at most once a minute per secret. A failure is ignored. */
export function recordKeyUse(
  store: Store,
  { id, secret, lastUsedAt }: KeyHolder,
  ip: string,
): void {
  const nowMs = Date.now()
  const name = `${id} ${secret}`
  if (nowMs - Math.max(touched.get(name) ?? 0, Date.parse(lastUsedAt) || 0) < TOUCH_MS) return
  touched.set(name, nowMs)
  queries(store.db)
    .updateTable('api_keys')
    .set({ last_used_at: formatNow(), last_used_ip: ip, last_used_prefix: secret })
    .where('id', '=', id)
    .execute()
    .catch(() => {})
}
