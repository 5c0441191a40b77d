import { type DeleteQueryBuilder, type DeleteResult, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Store } from '../collections/catalog.ts'
import { type AuthCollection, type Collection, USERS_ID } from '../collections/collection.ts'
import { toTableName } from '../collections/sql-names.ts'
import { generateText } from '../fields/regex-patterns.ts'
import { logChanges } from './log-changes.ts'
import type { Values } from './record-row.ts'

/** Collections with sign-in data. `collectionRef` and `recordRef` of a record name its auth record. */
export const LINKED_COLLECTIONS = ['_authOrigins', '_externalAuths', '_mfas', '_otps'] as const
export type LinkedCollection = (typeof LINKED_COLLECTIONS)[number]

/**
 * Deletes the sign-in data of the auth records `ids` from the collections `names`. Without `names`, deletes
 * from all of them, and sessions and second factors, too. Returns the number of records of these collections.
 */
export async function deleteSignIns(
  store: Store,
  collection: Collection,
  ids: readonly string[],
  names: readonly LinkedCollection[] = LINKED_COLLECTIONS,
): Promise<number> {
  let dropped = 0
  if (names === LINKED_COLLECTIONS) {
    await deleteSessions(store, collection, ids)
    await deleteFactors(store, collection, ids)
  }
  for (const name of names) {
    dropped += await deleteLinked(store, name, (query) =>
      query.where('collectionRef', '=', collection.id).where('recordRef', '=', matchAny(ids)),
    )
  }
  return dropped
}

type Deletion = DeleteQueryBuilder<Tables, LinkedCollection, DeleteResult>

/** Deletes the records that `which` selects, and notes them for realtime. Returns how many. */
export async function deleteLinked(
  { db, catalog }: Store,
  name: LinkedCollection,
  which: (query: Deletion) => Deletion,
): Promise<number> {
  const deleted = await queries(db)
    .with('written', (query) => which(query.deleteFrom(name)).returningAll())
    .with('noted', logChanges('delete', catalog.find(name)!.id))
    .selectFrom('written')
    .select('id')
    .execute()
  return deleted.length
}

const endBrowsers = (db: Db, users: readonly string[]) =>
  queries(db)
    .deleteFrom('push_subscriptions')
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('user', '=', matchAny(users)),
        eb(
          'sender',
          'in',
          selectFrom('members').select('id').where('member', '=', matchAny(users)),
        ),
      ]),
    )
    .execute()

/** Deletes sessions and, of users, push subscriptions: a signed-out browser must not show received texts. */
async function deleteSessions(
  { db }: Store,
  owner: Collection,
  ids: readonly string[],
): Promise<void> {
  await queries(db)
    .deleteFrom('auth_sessions')
    .where('collection', '=', owner.id)
    .where('record', '=', matchAny(ids))
    .execute()
  if (owner.id === USERS_ID) await endBrowsers(db, ids)
}

/** Deletes the second factors of auth records. Returns how many of the records had one. */
export async function deleteFactors(
  store: Store,
  owner: Collection,
  ids: readonly string[],
): Promise<number> {
  const { db } = store
  await deleteSignIns(store, owner, ids, ['_mfas', '_otps'])
  await queries(db)
    .deleteFrom('auth_passkeys')
    .where('collection', '=', owner.id)
    .where('record', '=', matchAny(ids))
    .execute()
  const { numDeletedRows } = await queries(db)
    .deleteFrom('auth_factors')
    .where('collection', '=', owner.id)
    .where('record', '=', matchAny(ids))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export const invalidatesSignIns = (values: Readonly<Values>, old: Readonly<Values>): boolean =>
  values.tokenKey !== old.tokenKey || values.password !== old.password || isUpgraded(values, old)

/** Whether the record becomes verified. Its earlier OAuth2 links may be a stranger's: they are deleted. */
const isUpgraded = (values: Readonly<Values>, old: Readonly<Values>) =>
  old.verified === false && values.verified === true

/** Deletes sign-in data that a write makes invalid, such as sessions. May renew `values.tokenKey`. */
export async function deleteInvalidSignIns(
  store: Store,
  collection: AuthCollection,
  values: Values,
  old: Readonly<Values>,
): Promise<void> {
  const ids = [String(old.id)]
  const upgraded = isUpgraded(values, old)
  if (upgraded && (await deleteSignIns(store, collection, ids, ['_externalAuths'])) > 0)
    rotateTokenKey(collection, values)
  if (values.password !== old.password)
    await deleteSignIns(store, collection, ids, ['_mfas', '_authOrigins'])
  if (values.tokenKey === old.tokenKey) return
  await deleteSignIns(store, collection, ids, ['_mfas', '_otps'])
  await deleteSessions(store, collection, ids)
}

/** Ends all tokens, sessions and started sign-ins of an auth record, without a realtime event for it. */
export async function endSignIns(
  store: Store,
  collection: AuthCollection,
  id: string,
): Promise<void> {
  const values: Values = {}
  rotateTokenKey(collection, values)
  const table = sql.id(toTableName(collection))
  await sql`update ${table} set "tokenKey" = ${values.tokenKey} where id = ${id}`.execute(store.db)
  await deleteSignIns(store, collection, [id], ['_mfas', '_otps'])
  await deleteSessions(store, collection, [id])
}

export function rotateTokenKey(collection: AuthCollection, values: Values): void {
  const field = collection.fields.find(({ name }) => name === 'tokenKey')
  values.tokenKey = field?.type === 'text' ? generateText(field.autogeneratePattern) : ''
}
