import { writeSorted } from '../../fields/values/json-text.ts'
import type { AuthCollection, Collection } from '../catalog.ts'

const TOKENS = [
  'authToken',
  'passwordResetToken',
  'emailChangeToken',
  'verificationToken',
  'fileToken',
] as const

/** Secrets are write-only. */
function redacted(collection: AuthCollection) {
  const { oauth2 } = collection
  const providers = oauth2.providers.map(({ clientSecret: _, extra, ...shown }) => ({
    ...shown,
    extra: JSON.parse(writeSorted(extra)),
  }))
  const tokens = Object.fromEntries(TOKENS.map((key) => [key, { duration: collection[key].duration }]))
  return { ...collection, oauth2: { ...oauth2, providers }, ...tokens }
}

/** A collection as JSON of an answer: PocketBase's key order, without secrets. Contract 7.5 */
export const collectionJson = (collection: Collection): string =>
  JSON.stringify(collection.type === 'auth' ? redacted(collection) : collection)
