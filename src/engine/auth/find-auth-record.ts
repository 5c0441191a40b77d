import { forbidden } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import {
  type AuthCollection,
  type Collection,
  DEVICES_ID,
  USERS_ID,
} from '../collections/collection.ts'
import { findUniqueIndex } from '../collections/index-definition.ts'
import { quoteName, toColumnName, toTableName } from '../collections/sql-names.ts'
import { limitCatalog } from '../records/check-rules.ts'
import { isDisabledSql, USER_SETTINGS_ID } from '../records/disabled-user.ts'
import { columnsOf, type RecordRow, toValues } from '../records/record-row.ts'
import { findStatementName } from '../records/statement-name.ts'
import { type Actor, type AuthRecord, makeAuthRecord, type Role } from '../request/request.ts'

/**
 * SQL, a select list: row `b`'s columns in the order of fields, then `xmin`, whether it is disabled, and
 * whether it lacks a second factor that its account requires.
 */
export const writeAuthColumns = (store: Store, collection: AuthCollection) =>
  `${columnsOf(collection).select}, b.xmin::text, ${writeDisabledSql(store, collection)}, ${writeLacksFactorSql(store, collection)}`

const writeLacksFactorSql = ({ catalog }: Store, { id }: Collection): string =>
  id === USERS_ID && catalog.find(USER_SETTINGS_ID) ? 'lacks_factor(b.id, b.id)' : 'false'

/** SQL: whether user `b` has no account of its own and is a member of no enabled account. */
const IS_LEFT = `b.member_only and not exists (
  select from members own where own.member = b.id and not ${isDisabledSql('own.account')})`

/** SQL: whether row `b` is a user who may not sign in, or a device of a disabled user. */
function writeDisabledSql({ catalog }: Store, { id }: Collection): string {
  if (!catalog.find(USER_SETTINGS_ID)) return 'false'
  if (id === USERS_ID) return `(${isDisabledSql('b.id')} or ${IS_LEFT})`
  return id === DEVICES_ID ? isDisabledSql('b."user"') : 'false'
}

/** Throws 403 for a disabled user and its devices, with PocketBase's message for a failed authRule. */
export function requireEnabled({ isDisabled }: AuthRecord): void {
  if (isDisabled)
    throw forbidden("The request doesn't satisfy the collection requirements to authenticate.")
}

interface Acting {
  readonly actor?: Actor
  readonly until?: string
  readonly isActorDisabled?: boolean
  /** By an API key, which needs no second factor. */
  readonly isByKey?: boolean
}

export function toAuthRecord(
  collection: AuthCollection,
  row: readonly unknown[],
  { actor, until, isActorDisabled = false, isByKey = false }: Acting = {},
): AuthRecord {
  const { count } = columnsOf(collection)
  const [version, isDisabled, lacksFactor] = row.slice(count)
  return makeAuthRecord(collection, toValues(collection, row as RecordRow), String(version), {
    isDisabled: isDisabled === true || isActorDisabled,
    lacksFactor: lacksFactor === true && !isByKey,
    actor,
    until,
  })
}

/** Finds an auth record by id, disabled or not; null if there is none. One primary key lookup. */
export const findAuthRecord = (
  store: Store,
  collection: AuthCollection,
  id: string,
): Promise<AuthRecord | null> => selectAuthRecord(store, collection, 'b.id = $1', id)

/** SQL: whether the token with hash `$2` belongs to a session of record `row` that was ended or is idle. */
const writeSessionEndedSql = ({ catalog }: Store, { id }: AuthCollection, row = 'b') => `(exists (
  select from auth_sessions s where s.collection = '${id}' and s.record = ${row}.id and s.ended_at is not null
    and exists (select from auth_session_tokens t where t.token_hash = $2 and t.session = s.id))
  or ${id === USERS_ID && catalog.find(USER_SETTINGS_ID) ? writeSessionIdleSql(row) : 'false'})`

/**
 * SQL: whether the session of the token with hash `$2` was unused for longer than the accounts of user `row`
 * allow. A session that is no longer listed counts as unused.
 */
const writeSessionIdleSql = (row: string) => `exists (
  select from auth_session_tokens t left join auth_sessions s on s.id = t.session
  where t.token_hash = $2 and coalesce(s.used_at, '-infinity') < now() - interval '1 day'
    and coalesce(s.used_at, '-infinity') < now() - make_interval(days => session_idle_days(${row}.id)))`

/** Finds a token's auth record; null if there is none, or the token's session was ended or is idle. */
export const findTokenOwner = (
  store: Store,
  collection: AuthCollection,
  id: string,
  tokenHash: string,
) =>
  selectAuthRecord(
    store,
    collection,
    `b.id = $1 and not ${writeSessionEndedSql(store, collection)}`,
    id,
    tokenHash,
  )

/**
 * Finds the account that a member (`by`) acts for. Null if `by` is no member of it or the session ended. A
 * member without a second factor that the account requires, or whose directory must prove the membership
 * again, counts as disabled.
 */
export async function findActingMember(
  store: Store,
  collection: AuthCollection,
  account: string,
  tokenHash: string,
  by: { readonly id: unknown } | { readonly member: string } | undefined,
): Promise<AuthRecord | null> {
  const [[column, value] = []] = Object.entries(by ?? {})
  if (
    collection.id !== USERS_ID ||
    typeof value !== 'string' ||
    `${account}${value}`.includes('\0')
  )
    return null
  const table = quoteName(toTableName(collection))
  const text = `select ${writeAuthColumns(store, collection)}, ${isDisabledSql('u.id')} or lacks_factor(b.id, u.id) or proof_is_over(m.proven_until), m.proven_until, m.id, m.role, m.addresses, m."tokenKey", u."tokenKey"
    from ${table} b join members m on m.account = b.id join ${table} u on u.id = m.member
    where b.id = $1 and m.${column} = $3 and not ${writeSessionEndedSql(store, collection, 'u')}`
  const [row] = await selectFreshRows(store, text, [account, tokenHash, value])
  if (!row) return null
  const [isActorDisabled, until, id, role, addresses, ...keys] = row.slice(-7) as [
    boolean,
    string,
    string,
    Role,
    string,
    string,
    string,
  ]
  const seen = limitCatalog(store.catalog, role).find(collection.id) as AuthCollection
  const key = keys.map((one) => `${one}\n`).join('')
  return toAuthRecord(seen, row, { actor: { id, role, addresses, key }, isActorDisabled, until })
}

async function selectAuthRecord(
  store: Store,
  collection: AuthCollection,
  condition: string,
  id: string,
  ...more: readonly string[]
): Promise<AuthRecord | null> {
  if (id.includes('\0')) return null // Postgres refuses NUL, which a path or a token may contain
  const table = quoteName(toTableName(collection))
  const text = `select ${writeAuthColumns(store, collection)} from ${table} b where ${condition}`
  const [row] = await selectFreshRows(store, text, [id, ...more])
  return row ? toAuthRecord(collection, row) : null
}

export const selectFreshRows = async (
  { db, catalog }: Store,
  text: string,
  values: readonly unknown[],
) => (await db.lookUp(text, values, findStatementName(catalog, text))).rows

/** The auth record with this value in a unique field, or null. Ignores ASCII case if the index does. */
export async function findByIdentity(
  store: Store,
  collection: AuthCollection,
  field: string,
  value: string,
) {
  const index = findUniqueIndex(collection.indexes, field)
  if (!index) return null
  const column = `b.${quoteName(toColumnName(field))}`
  const type = store.catalog.field(collection, field)?.type
  const ignoresCase = index.columns[0]?.collate.toLowerCase() === 'nocase'
  const condition =
    type === 'number'
      ? `${column} = pb_numeric($1::text)`
      : ignoresCase
        ? `lower(${column}::text collate "C") = lower($1::text collate "C")`
        : `${column}::text = $1`
  const text = `select ${writeAuthColumns(store, collection)} from ${quoteName(toTableName(collection))} b where ${condition} limit 1`
  const { rows } = await store.db.query(text, [value])
  return rows[0] ? toAuthRecord(collection, rows[0]) : null
}

export const findByEmail = (store: Store, collection: AuthCollection, email: string) =>
  findByIdentity(store, collection, 'email', email)
