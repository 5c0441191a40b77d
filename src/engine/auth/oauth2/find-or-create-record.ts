import { sql } from 'kysely'
import { notFound } from '../../../platform/api-errors.ts'
import { queries } from '../../../platform/db/queries.ts'
import { checkFields, checkRequired } from '../../fields/value-checks.ts'
import type { ProviderPerson } from '../../records/collection-extension.ts'
import { isEmptyObject } from '../../records/explain-rejection.ts'
import { deleteSignIns } from '../../records/revoke-sign-ins.ts'
import { toUniqueError } from '../../records/store-record.ts'
import type { AuthRecord } from '../../request/request.ts'
import { type AuthChange, changeAuthRecord } from '../change-auth-record.ts'
import { findAuthRecord, findByEmail, requireEnabled } from '../find-auth-record.ts'
import { addSystemRecord } from '../system-records.ts'
import {
  createFromProfile,
  fetchPicture,
  OAUTH2_FAILED,
  type Search,
} from './create-from-profile.ts'
import { readProviderClaims } from './read-provider-claims.ts'

/**
 * Finds or creates the record for a provider's user and links the two. Takes the linked record, else that of
 * the signed-in caller, else one with the same email. Throws 400, 403 and the errors of a create. PocketBase:
 * apis/record_auth_with_oauth2.go, oauth2Submit
 */
export async function findOrCreateRecord(
  search: Search,
): Promise<{ auth: AuthRecord; isNew: boolean }> {
  const { store, collection } = search
  const person = namePerson(search)
  const linked = await findLinkedRecord(search)
  const found = linked ?? (await findUnlinkedRecord(search))
  // a member who has left all teams counts as disabled: the provider may give a new role
  const known =
    found?.isDisabled && found.values.verified ? await applyRoles(search, person, found) : found
  if (known) requireEnabled(known)
  const picture = known ? undefined : await fetchPicture(search)
  const admitted = known ? undefined : await admitNewcomer(search, person)
  const { auth, isNew } = await store.db.transaction(async (db) => {
    const inside = { ...search, store: { db, catalog: store.catalog } }
    const auth = known
      ? await verifyProviderEmail(inside, known)
      : await createFromProfile(inside, admitted, picture)
    const isLinked = linked !== null && linked.values.verified === true
    if (!isLinked) await linkProvider(inside, auth)
    const now = await findAuthRecord(inside.store, collection, auth.id)
    return { auth: now ?? auth, isNew: known === null }
  })
  return { auth: await applyRoles(search, person, auth), isNew }
}

/** The claims are read once, and only if somebody asks. */
function namePerson({ arrival, log }: Search): ProviderPerson {
  let claims: ReturnType<typeof readProviderClaims> | undefined
  const read = () => {
    claims ??= readProviderClaims(arrival)
    return claims
  }
  return { provider: arrival.provider.name, readClaims: read, log }
}

const admitNewcomer = ({ store, extensions, collection }: Search, person: ProviderPerson) =>
  extensions.get(collection.id)?.admitNewcomer?.(store, person)

/** Lets the collection follow what the provider says about the person. Returns the record after it. */
async function applyRoles(
  { store, extensions, collection }: Search,
  person: ProviderPerson,
  auth: AuthRecord,
): Promise<AuthRecord> {
  const follow = extensions.get(collection.id)?.onProviderSignIn
  if (!follow) return auth
  await follow(store, extensions, { ...person, auth })
  return (await findAuthRecord(store, collection, auth.id)) ?? auth
}

async function findLinkedRecord({
  store,
  collection,
  arrival,
}: Search): Promise<AuthRecord | null> {
  const found = await queries(store.db)
    .selectFrom('_externalAuths')
    .select('recordRef')
    .where('collectionRef', '=', collection.id)
    .where('provider', '=', arrival.provider.name)
    .where('providerId', '=', arrival.profile.id)
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!found) return null
  const auth = await findAuthRecord(store, collection, found.recordRef)
  if (!auth) throw notFound()
  return auth
}

async function findUnlinkedRecord({
  store,
  collection,
  request,
  arrival,
}: Search): Promise<AuthRecord | null> {
  if (request.auth?.collection.id === collection.id) return request.auth
  const { email } = arrival.profile
  return email ? findByEmail(store, collection, email) : null
}

/**
 * Updates an existing record. If it was unverified, deletes its links to providers and, unless its user is
 * signed in, replaces its password by a random one.
 */
async function verifyProviderEmail(
  { store, extensions, collection, request, arrival: { profile } }: Search,
  auth: AuthRecord,
): Promise<AuthRecord> {
  const isVerified = auth.values.verified === true
  const isOwn = request.auth?.id === auth.id && request.auth.collection.id === collection.id
  if (!isVerified) await deleteSignIns(store, collection, [auth.id], ['_externalAuths'])
  const email = String(auth.values.email || profile.email)
  const change: AuthChange = {
    ...(!isVerified && !isOwn && { withoutPassword: true }),
    ...(email !== auth.values.email && { email }),
    ...(!isVerified && (email === '' || email === profile.email) && { verified: true }),
  }
  return isEmptyObject(change)
    ? auth
    : changeAuthRecord(store, extensions, auth, change, OAUTH2_FAILED)
}

/**
 * Links a record to the provider's user. Throws 400 if either is linked already, even by a concurrent call.
 */
async function linkProvider({ store, arrival }: Search, auth: AuthRecord): Promise<void> {
  const values = { provider: arrival.provider.name, providerId: arrival.profile.id }
  checkFields(values, { providerId: [checkRequired] }, OAUTH2_FAILED)
  try {
    await addSystemRecord(store, '_externalAuths', auth, values)
  } catch (error) {
    throw toUniqueError(store.catalog.find('_externalAuths')!, OAUTH2_FAILED, error)
  }
}
