import { sql } from 'kysely'
import { badRequest, notFound } from '../../../platform/api-errors.ts'
import { queries } from '../../../platform/db/queries.ts'
import type { Logger } from '../../../platform/log.ts'
import { sendOutgoing } from '../../../platform/outgoing/send-request.ts'
import { makeRandomText } from '../../../platform/tools/random.ts'
import type { Store } from '../../collections/catalog.ts'
import { type AuthCollection, SUPERUSERS } from '../../collections/collection.ts'
import type { Value } from '../../fields/field.ts'
import { checkValue, DEFAULT_FILE_BYTES } from '../../fields/field-types.ts'
import { checkFields, checkRequired } from '../../fields/value-checks.ts'
import { makeMemoryContent, readUpload, type Upload, type Uploads } from '../../files/upload.ts'
import type { Extensions, ProviderPerson } from '../../records/collection-extension.ts'
import { createRecord } from '../../records/create-or-update.ts'
import { isEmptyObject } from '../../records/explain-rejection.ts'
import { checkUpload } from '../../records/record-uploads.ts'
import { deleteLinks } from '../../records/revoke-sign-ins.ts'
import { toUniqueError } from '../../records/store-record.ts'
import { type AuthRecord, makeServerRequest, type RequestInfo } from '../../request/request.ts'
import { type AuthChange, changeAuthRecord } from '../change-auth-record.ts'
import { findAuthRecord, findByEmail, findByIdentity, requireEnabled } from '../find-auth-record.ts'
import { addSystemRecord } from '../system-records.ts'
import type { OAuth2Identity } from './identify-by-oauth2.ts'
import { readProviderClaims } from './read-provider-claims.ts'
import type { Profile } from './read-provider-profile.ts'

const FAILED = 'Failed to authenticate.'

type Admitted = Readonly<Record<string, Value>> | undefined

interface Search {
  readonly store: Store
  readonly extensions: Extensions
  readonly collection: AuthCollection
  readonly request: RequestInfo
  readonly arrival: OAuth2Identity
  readonly log: Logger
}

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
  if (!isVerified) await deleteLinks(store, collection, [auth.id], ['_externalAuths'])
  const email = String(auth.values.email || profile.email)
  const change: AuthChange = {
    ...(!isVerified && !isOwn && { withoutPassword: true }),
    ...(email !== auth.values.email && { email }),
    ...(!isVerified && (email === '' || email === profile.email) && { verified: true }),
  }
  return isEmptyObject(change) ? auth : changeAuthRecord(store, extensions, auth, change, FAILED)
}

/** `admitted`: values of a person whom the server lets in, whatever the create rule says. */
async function createFromProfile(
  { store, extensions, collection, request, arrival }: Search,
  admitted: Admitted,
  uploads: Uploads | undefined,
): Promise<AuthRecord> {
  if (collection.name === SUPERUSERS) throw badRequest(FAILED)
  const { profile } = arrival
  const createData = admitted ? {} : arrival.createData
  const body = await completeCreateData(store, collection, profile, createData)
  const asked = admitted
    ? makeServerRequest(store.catalog.find(SUPERUSERS)!, { ...body, ...admitted })
    : { ...request, method: 'POST', query: {}, body }
  const hasRandomPassword = !Object.hasOwn(createData, 'password')
  const options = { hasRandomPassword, ...(uploads && { uploads }) }
  const { id } = JSON.parse(await createRecord(store, extensions, collection, asked, options)) as {
    id: string
  }
  const auth = await findAuthRecord(store, collection, id)
  if (!auth) throw badRequest(FAILED)
  const isTheirs = auth.values.email === profile.email && !auth.values.verified
  return isTheirs ? changeAuthRecord(store, extensions, auth, { verified: true }, FAILED) : auth
}

/**
 * Links a record to the provider's user. Throws 400 if either is linked already, even by a concurrent call.
 */
async function linkProvider({ store, arrival }: Search, auth: AuthRecord): Promise<void> {
  const values = { provider: arrival.provider.name, providerId: arrival.profile.id }
  checkFields(values, { providerId: [checkRequired] }, FAILED)
  try {
    await addSystemRecord(store, '_externalAuths', auth, values)
  } catch (error) {
    throw toUniqueError(store.catalog.find('_externalAuths')!, FAILED, error)
  }
}

const PASSWORD_LENGTH = 30

/** The new record's values: the client's data, completed from the profile, but without a taken username. */
async function completeCreateData(
  store: Store,
  collection: AuthCollection,
  profile: Profile,
  createData: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { id, name, username, avatarURL } = collection.oauth2.mappedFields
  const body: Record<string, unknown> = { ...createData }
  if (typeof body.email !== 'string' || body.email === '') body.email = profile.email
  const fill = (field: string, value: string) => {
    if (field !== '' && !Object.hasOwn(body, field)) body[field] = value
  }
  fill(id, profile.id)
  fill(name, profile.name)
  if (await isUsernameFree(store, collection, username, profile.username))
    fill(username, profile.username)
  const isFile = store.catalog.field(collection, avatarURL)?.type === 'file'
  if (profile.avatarURL !== '' && !isFile) fill(avatarURL, profile.avatarURL)
  if (!Object.hasOwn(body, 'password')) {
    body.password = makeRandomText(PASSWORD_LENGTH)
    body.passwordConfirm = body.password
  }
  return body
}

async function isUsernameFree(
  store: Store,
  collection: AuthCollection,
  fieldName: string,
  username: string,
) {
  const field = store.catalog.field(collection, fieldName)
  if (!field) return false
  if (field.type === 'text' && checkValue(field, username)) return false
  return (await findByIdentity(store, collection, fieldName, username)) === null
}

const TIMEOUT_MS = 10_000

/** Downloads a new user's picture; undefined if that fails. PocketBase: record_auth_with_oauth2.go */
async function fetchPicture({
  store,
  collection,
  arrival,
  log,
}: Search): Promise<Uploads | undefined> {
  const { profile, provider, createData } = arrival
  const field = store.catalog.field(collection, collection.oauth2.mappedFields.avatarURL)
  if (field?.type !== 'file' || profile.avatarURL === '' || Object.hasOwn(createData, field.name))
    return undefined
  try {
    const maxBytes = Math.min(field.maxSize || DEFAULT_FILE_BYTES, DEFAULT_FILE_BYTES)
    const origin = URL.parse(provider.userInfoURL)?.origin
    const upload = await downloadPicture(profile.avatarURL, origin, maxBytes)
    const fault = checkUpload(field, upload)
    if (fault) throw new Error(fault.message)
    return new Map([[field.name, [upload]]])
  } catch (err) {
    log.warn(
      { err, provider: provider.name },
      'could not copy the profile picture from the OAuth2 provider',
    )
    return undefined
  }
}

/** Downloads a picture. The user chose the address: it must be public or of the provider's own origin. */
async function downloadPicture(
  address: string,
  origin: string | undefined,
  maxBytes: number,
): Promise<Upload> {
  const url = new URL(address)
  const { status, body } = await sendOutgoing(
    {
      url: url.href,
      method: 'GET',
      headers: { accept: 'image/*', 'user-agent': 'pocketsms' },
      body: undefined,
    },
    { allowPrivate: url.origin === origin, maxBodyBytes: maxBytes + 1, timeoutMs: TIMEOUT_MS },
  )
  if (status !== 200) throw new Error(`the picture was refused with ${status}`)
  if (body.length > maxBytes) throw new Error(`the picture has more than ${maxBytes} bytes`)
  return readUpload(url.pathname.split('/').at(-1) || 'picture', makeMemoryContent(body))
}
