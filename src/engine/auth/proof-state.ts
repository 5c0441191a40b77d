import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { badRequest } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { AuthRecord } from '../request/request.ts'

// What a person begins, such as a new passkey, ends as soon as anything changes by which the person signs in.

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

/** Locks the person's factors. Throws 400 if anything has changed since `state` was read. */
export async function requireProofState(db: Db, auth: AuthRecord, state: string): Promise<void> {
  const { collection, id } = auth
  const owner = { collection: collection.id, record: id }
  await queries(db)
    .insertInto('auth_factors')
    .values(owner)
    .onConflict((found) => found.columns(['collection', 'record']).doUpdateSet(owner))
    .execute()
  if ((await readProofState(db, auth)) !== state) throw badRequest(CHANGED)
}
