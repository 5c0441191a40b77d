import { sql } from 'kysely'
import { notFound } from '../../../platform/api-errors.ts'
import { queries } from '../../../platform/db/queries.ts'
import { checkFields, checkRequired } from '../../fields/value-checks.ts'
import type { ProviderClaims, ProviderPerson } from '../../records/collection-extension.ts'
import { isEmptyObject } from '../../records/explain-rejection.ts'
import { deleteSignIns } from '../../records/revoke-sign-ins.ts'
import { toUniqueError } from '../../records/store-record.ts'
import type { AuthRecord } from '../../request/request.ts'
import { type AuthChange, changeAuthRecord } from '../change-auth-record.ts'
import { findAuthRecord, findByEmail, requireEnabled } from '../find-auth-record.ts'
import { findProof } from '../sign-in-sessions.ts'
import { addSystemRecord } from '../system-records.ts'
import {
  createFromProfile,
  fetchPicture,
  OAUTH2_FAILED,
  type Search,
} from './create-from-profile.ts'
import { readProviderClaims } from './read-provider-claims.ts'

interface Found {
  readonly auth: AuthRecord
  readonly isNew: boolean
  /** Claims of the provider that take effect once the sign-in is complete. */
  readonly said?: ProviderClaims | undefined
  /** The proof that the session carries, see `startSession`; absent: the sign-in by the provider is one. */
  readonly provenAt?: string
  /** The record as it was before it got a link to the provider; absent if it is new or was linked. */
  readonly linkedTo?: AuthRecord
}

/**
 * Finds or creates the record for a provider's user and links the two. Takes the linked record, else that of
 * the signed-in caller, else one with the same email. Throws 400, 403 and the errors of a create. PocketBase:
 * apis/record_auth_with_oauth2.go, oauth2Submit
 */
export async function findOrCreateRecord(search: Search): Promise<Found> {
  const { store, collection } = search
  const person = namePerson(search)
  const linked = await findLinkedRecord(search)
  const known = linked?.auth ?? (await findUnlinkedRecord(search))
  const again = known && (await requireAdmitted(search, person, known))
  const proof = linked ? linked.proof : await findProofOfLink(search, known)
  const picture = known ? undefined : await fetchPicture(search)
  const admitted = known ? undefined : await admitNewcomer(search, person)
  const { auth, isNew } = await store.db.transaction(async (db) => {
    const inside = { ...search, store: { db, catalog: store.catalog } }
    const auth = known
      ? await verifyProviderEmail(inside, known)
      : await createFromProfile(inside, admitted, picture)
    const isLinked = linked?.auth.values.verified === true
    if (!isLinked) await linkProvider(inside, auth, proof)
    const now = await findAuthRecord(inside.store, collection, auth.id)
    return { auth: now ?? auth, isNew: known === null }
  })
  return {
    auth,
    isNew,
    said: again ?? (await findSaid(search, person, auth)),
    ...(proof && { provenAt: proof.provenAt }),
    ...(known && !linked && { linkedTo: known }),
  }
}

/**
 * Throws 403 for a disabled record, except for a member who has left all teams and to whom the provider gives
 * a new role. Returns what the provider then says.
 */
async function requireAdmitted(
  search: Search,
  person: ProviderPerson,
  known: AuthRecord,
): Promise<ProviderClaims | undefined> {
  if (!known.isDisabled) return undefined
  const { store, extensions, collection } = search
  const said = known.values.verified ? await findSaid(search, person, known) : undefined
  const readmits = extensions.get(collection.id)?.readmits
  if (!(said && (await readmits?.(store, known, said)))) requireEnabled(known)
  return said
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

const findSaid = (
  { store, extensions, collection }: Search,
  person: ProviderPerson,
  auth: AuthRecord,
) => extensions.get(collection.id)?.findProviderClaims?.(store, { ...person, auth })

/** The proof that a session carries, which a link made in the session needs. */
interface LinkProof {
  readonly provenAt: string
  readonly isFresh: boolean
}

const UNPROVEN: LinkProof = { provenAt: '', isFresh: false }

/** Undefined for a link that no session makes: the provider vouches for the email. */
async function findProofOfLink(
  { store, request, token }: Search,
  known: AuthRecord | null,
): Promise<LinkProof | undefined> {
  if (!known || known !== request.auth) return undefined
  return findProof(store.db, known, token)
}

/** The record that is linked already, and the proof of the link if a session made it without a fresh one. */
async function findLinkedRecord({ store, collection, arrival }: Search) {
  const found = await queries(store.db)
    .selectFrom('_externalAuths as a')
    .leftJoin('_unproven_links as u', 'u.link', 'a.id')
    .select(['a.recordRef', 'u.link'])
    .where('a.collectionRef', '=', collection.id)
    .where('a.provider', '=', arrival.provider.name)
    .where('a.providerId', '=', arrival.profile.id)
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!found) return null
  const auth = await findAuthRecord(store, collection, found.recordRef)
  if (!auth) throw notFound()
  return { auth, proof: found.link === null ? undefined : UNPROVEN }
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
async function linkProvider(
  { store, arrival }: Search,
  auth: AuthRecord,
  proof: LinkProof | undefined,
): Promise<void> {
  const values = { provider: arrival.provider.name, providerId: arrival.profile.id }
  checkFields(values, { providerId: [checkRequired] }, OAUTH2_FAILED)
  try {
    const link = await addSystemRecord(store, '_externalAuths', auth, values)
    if (proof?.isFresh === false)
      await queries(store.db).insertInto('_unproven_links').values({ link }).execute()
  } catch (error) {
    throw toUniqueError(store.catalog.find('_externalAuths')!, OAUTH2_FAILED, error)
  }
}
