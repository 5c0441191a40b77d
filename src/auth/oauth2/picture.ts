import type { Catalog } from '../../collections/catalog.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import { DEFAULT_FILE_BYTES } from '../../fields/types/field-types.ts'
import { contentOf } from '../../files/thumbnail.ts'
import { readUpload, type Upload, type Uploads } from '../../files/upload.ts'
import type { Logger } from '../../log.ts'
import { sendOutgoing } from '../../outgoing/send.ts'
import { checkUpload } from '../../records/input/files.ts'
import { providerOf } from './providers.ts'
import type { OAuth2Identity } from './with-oauth2.ts'

const TIMEOUT_MS = 10_000
const NO_UPLOADS: Uploads = new Map()

/** Downloads the picture of a new user; failures are ignored. PocketBase: record_auth_with_oauth2.go */
export async function fetchPicture(
  catalog: Catalog,
  collection: AuthCollection,
  { profile, provider, createData }: OAuth2Identity,
  log: Logger,
): Promise<Uploads> {
  const field = catalog.field(collection, collection.oauth2.mappedFields.avatarURL)
  if (field?.type !== 'file' || profile.avatarURL === '' || Object.hasOwn(createData, field.name))
    return NO_UPLOADS
  try {
    const maxBytes = Math.min(field.maxSize || DEFAULT_FILE_BYTES, DEFAULT_FILE_BYTES)
    const upload = await load(profile.avatarURL, originOf(collection, provider), maxBytes)
    const fault = checkUpload(field, upload)
    if (fault) throw new Error(fault.message)
    return new Map([[field.name, [upload]]])
  } catch (error) {
    log.warn({ err: error, provider }, 'could not copy the profile picture from the OAuth2 provider')
    return NO_UPLOADS
  }
}

/** Origin of the provider, which a superuser configured. */
function originOf({ oauth2 }: AuthCollection, name: string): string | undefined {
  const options = oauth2.providers.find((one) => one.name === name)
  const url = options && providerOf(options)?.userInfoURL
  return url ? new URL(url).origin : undefined
}

/** The user chose this address, so it must be public or of the provider's own origin. */
async function load(address: string, origin: string | undefined, maxBytes: number): Promise<Upload> {
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
  return readUpload(url.pathname.split('/').at(-1) || 'picture', contentOf(body))
}
