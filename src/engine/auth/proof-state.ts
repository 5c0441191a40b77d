import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { badRequest } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { lockRecord } from '../records/read-records.ts'
import type { AuthRecord } from '../request/request.ts'
import { findAuthRecord } from './find-auth-record.ts'

// A begun change, such as a new passkey, ends when anything changes by which the person signs in.

const CHANGED = 'Your password, email or second factor has changed meanwhile. Begin again.'

/** A hash of the person's authenticator app and passkeys; '' without a second factor. */
export async function readFactorState(
  db: Db,
  { collection, id }: Pick<AuthRecord, 'collection' | 'id'>,
): Promise<string> {
  const found = await queries(db)
    .selectFrom('auth_factors as f')
    .select(({ selectFrom }) => [
      'f.sealed',
      sql<string>`extract(epoch from f.confirmed_at)::text`.as('since'),
      selectFrom('auth_passkeys as p')
        .select(sql<string>`coalesce(string_agg(p.id, ' ' order by p.id), '')`.as('ids'))
        .whereRef('p.collection', '=', 'f.collection')
        .whereRef('p.record', '=', 'f.record')
        .as('passkeys'),
    ])
    .where('f.collection', '=', collection.id)
    .where('f.record', '=', id)
    .where('f.confirmed_at', 'is not', null)
    .executeTakeFirst()
  return found ? hash('sha256', `${found.since} ${found.sealed} ${found.passkeys}`) : ''
}

/** A hash of all by which a person signs in. It is read before the proof of what the person begins. */
export async function readProofState(db: Db, auth: AuthRecord): Promise<string> {
  const { tokenKey, password, email } = auth.values
  const factors = await readFactorState(db, auth)
  return hash('sha256', JSON.stringify([tokenKey, password, email, factors]))
}

/**
 * Locks a person's record until the transaction ends, and returns its `readProofState` as the database has it
 * now; '' if it was deleted.
 */
export async function lockProofState(store: Store, auth: AuthRecord): Promise<string> {
  const { collection, id } = auth
  await lockRecord(store, collection, id)
  const now = await findAuthRecord(store, collection as AuthCollection, id)
  return now ? readProofState(store.db, now) : ''
}

/**
 * Locks the person's record and factors. Throws 400 if anything has changed since `state` was read, even in a
 * request at the same moment.
 */
export async function requireProofState(
  store: Store,
  auth: AuthRecord,
  state: string,
): Promise<void> {
  const owner = { collection: auth.collection.id, record: auth.id }
  if ((await lockProofState(store, auth)) !== state) throw badRequest(CHANGED)
  await queries(store.db)
    .insertInto('auth_factors')
    .values(owner)
    .onConflict((found) => found.columns(['collection', 'record']).doUpdateSet(owner))
    .execute()
  if ((await readProofState(store.db, auth)) !== state) throw badRequest(CHANGED)
}
