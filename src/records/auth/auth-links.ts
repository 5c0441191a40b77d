import { type AuthCollection, type Collection, type Store, USERS_ID } from '../../collections/catalog.ts'
import { generateText } from '../../fields/types/autogenerate.ts'
import { changeLogCte } from '../changes.ts'
import { columnsOf, type Values } from '../columns.ts'

/** Collections whose records belong to an auth record, which `collectionRef` and `recordRef` name. */
export const LINKED_COLLECTIONS = ['_authOrigins', '_externalAuths', '_mfas', '_otps'] as const
type Linked = (typeof LINKED_COLLECTIONS)[number]

/** Deletes linked records, of all kinds or of those in `names`. Returns their number. */
export async function deleteLinks(
  store: Store,
  collection: Collection,
  ids: readonly string[],
  names: readonly Linked[] = LINKED_COLLECTIONS,
): Promise<number> {
  let dropped = 0
  if (names === LINKED_COLLECTIONS) await deleteSessions(store, collection, ids)
  for (const name of names) {
    const linked = store.catalog.find(name)
    if (linked) dropped += await dropFrom(store, linked, collection, ids)
  }
  return dropped
}

const END_BROWSERS = `
delete from push_subscriptions
where "user" = any($1::text[]) or sender in (select id from members where member = any($1::text[]))`

/** Deletes sessions and push subscriptions: a signed-out browser must not show texts. */
async function deleteSessions({ db }: Store, owner: Collection, ids: readonly string[]): Promise<void> {
  await db.query('delete from auth_sessions where collection = $1 and record = any($2::text[])', [
    owner.id,
    ids,
  ])
  if (owner.id === USERS_ID) await db.query(END_BROWSERS, [ids])
}

async function dropFrom(store: Store, linked: Collection, owner: Collection, ids: readonly string[]) {
  const { rows } = await store.db.query(
    `with written as (delete from ${columnsOf(linked).table}
      where "collectionRef" = $1::text and "recordRef" = any($2::text[]) returning *),
    ${changeLogCte('written', 'delete', 3)} select 1 from written`,
    [owner.id, ids, linked.id],
  )
  return rows.length
}

/** Whether this change of an auth record invalidates linked records. */
export const invalidatesLinks = (values: Readonly<Values>, old: Readonly<Values>): boolean =>
  values.tokenKey !== old.tokenKey || values.password !== old.password || isUpgraded(values, old)

/** Whether the record becomes verified. OAuth2 links that an unverified owner made are then deleted. */
const isUpgraded = (values: Readonly<Values>, old: Readonly<Values>) =>
  old.verified === false && values.verified === true

/** Deletes the links that a write invalidates: known origins, one-time passwords, sessions. */
export async function deleteInvalidLinks(
  store: Store,
  collection: AuthCollection,
  values: Values,
  old: Readonly<Values>,
): Promise<void> {
  const ids = [String(old.id)]
  const upgraded = isUpgraded(values, old)
  if (upgraded && (await deleteLinks(store, collection, ids, ['_externalAuths'])) > 0)
    rotateTokenKey(collection, values)
  if (values.password !== old.password) await deleteLinks(store, collection, ids, ['_mfas', '_authOrigins'])
  if (values.tokenKey === old.tokenKey) return
  await deleteLinks(store, collection, ids, ['_otps'])
  await deleteSessions(store, collection, ids)
}

/** Ends all tokens and started sign-ins of an auth record, in the transaction, without a realtime change. */
export async function endSignIns(store: Store, collection: AuthCollection, id: string): Promise<void> {
  const values: Values = {}
  rotateTokenKey(collection, values)
  const text = `update ${columnsOf(collection).table} set "tokenKey" = $2 where id = $1`
  await store.db.query(text, [id, values.tokenKey])
  await deleteLinks(store, collection, [id], ['_mfas', '_otps'])
  await deleteSessions(store, collection, [id])
}

export function rotateTokenKey(collection: AuthCollection, values: Values): void {
  const field = collection.fields.find(({ name }) => name === 'tokenKey')
  values.tokenKey = field?.type === 'text' ? generateText(field.autogeneratePattern) : ''
}
