import type { Store } from '../../collections/catalog.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import { fieldType } from '../../fields/types/field-types.ts'
import { randomText } from '../../tools/random.ts'
import { findByIdentity } from '../auth-rows.ts'
import type { Profile } from './profile.ts'

/** Too long to guess. The collection's password rules do not apply. */
const PASSWORD_LENGTH = 30

/**
 * The new record: the client's data, then mapped parts of the profile. An invalid or taken name is left out.
 */
export async function newRecordOf(
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
  if (await isFree(store, collection, username, profile.username)) fill(username, profile.username)
  const isFile = store.catalog.field(collection, avatarURL)?.type === 'file'
  if (profile.avatarURL !== '' && !isFile) fill(avatarURL, profile.avatarURL)
  if (!Object.hasOwn(body, 'password')) {
    body.password = randomText(PASSWORD_LENGTH)
    body.passwordConfirm = body.password
  }
  return body
}

async function isFree(
  store: Store,
  collection: AuthCollection,
  fieldName: string,
  username: string,
): Promise<boolean> {
  const field = store.catalog.field(collection, fieldName)
  if (!field) return false
  if (field.type === 'text' && fieldType(field).check(field, username)) return false
  return (await findByIdentity(store, collection, fieldName, username)) === null
}
