import { badRequest } from '../../../platform/api-errors.ts'
import type { Logger } from '../../../platform/log.ts'
import { sendOutgoing } from '../../../platform/outgoing/send-request.ts'
import { makeRandomText } from '../../../platform/tools/random.ts'
import type { Store } from '../../collections/catalog.ts'
import { type AuthCollection, SUPERUSERS } from '../../collections/collection.ts'
import type { Value } from '../../fields/field.ts'
import { checkValue, DEFAULT_FILE_BYTES } from '../../fields/field-types.ts'
import { makeMemoryContent, readUpload, type Upload, type Uploads } from '../../files/upload.ts'
import type { Extensions } from '../../records/collection-extension.ts'
import { createRecord } from '../../records/create-or-update.ts'
import { checkUpload } from '../../records/record-uploads.ts'
import { type AuthRecord, makeServerRequest, type RequestInfo } from '../../request/request.ts'
import { changeAuthRecord } from '../change-auth-record.ts'
import { findAuthRecord, findByIdentity } from '../find-auth-record.ts'
import type { OAuth2Identity } from './identify-by-oauth2.ts'
import type { Profile } from './read-provider-profile.ts'

export const OAUTH2_FAILED = 'Failed to authenticate.'

type Admitted = Readonly<Record<string, Value>> | undefined

export interface Search {
  readonly store: Store
  readonly extensions: Extensions
  readonly collection: AuthCollection
  readonly request: RequestInfo
  /** The token of the caller; '' without one. */
  readonly token: string
  readonly arrival: OAuth2Identity
  readonly log: Logger
}

/** `admitted`: values of a person whom the server lets in, whatever the create rule says. */
export async function createFromProfile(
  { store, extensions, collection, request, arrival }: Search,
  admitted: Admitted,
  uploads: Uploads | undefined,
): Promise<AuthRecord> {
  if (collection.name === SUPERUSERS) throw badRequest(OAUTH2_FAILED)
  const { profile } = arrival
  const createData = admitted ? {} : arrival.createData
  const body = await completeCreateData(store, collection, profile, createData)
  const asked = admitted
    ? makeServerRequest(store, { ...body, ...admitted })
    : { ...request, method: 'POST', query: {}, body }
  const hasRandomPassword = !Object.hasOwn(createData, 'password')
  const options = { hasRandomPassword, ...(uploads && { uploads }) }
  const { id } = JSON.parse(await createRecord(store, extensions, collection, asked, options)) as {
    id: string
  }
  const auth = await findAuthRecord(store, collection, id)
  if (!auth) throw badRequest(OAUTH2_FAILED)
  const isTheirs = auth.values.email === profile.email && !auth.values.verified
  return isTheirs
    ? changeAuthRecord(store, extensions, auth, { verified: true }, OAUTH2_FAILED)
    : auth
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
export async function fetchPicture({
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
