import { type Check, demandFields, length, required } from '../collections/checks.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { object, text } from '../collections/decode.ts'
import { fieldError, forbidden } from '../errors.ts'

export interface OAuth2Form {
  provider: string
  code: string
}
export const OAUTH2_FORM = object<OAuth2Form>({ provider: text, code: text })

const unknownProvider: Check = (name) =>
  fieldError('validation_invalid_provider', `Provider with name ${name} is missing or is not enabled.`, {
    name,
  })

/**
 * Refuses to sign in by OAuth2: 403 where the collection does not allow it, else 400 with PocketBase's error for a provider
 * that it does not know, as this server exchanges no provider's codes. PocketBase: apis/record_auth_with_oauth2.go
 */
export async function refuseOAuth2(
  { oauth2 }: AuthCollection,
  readForm: () => Promise<OAuth2Form>,
): Promise<void> {
  if (!oauth2.enabled) throw forbidden('The collection is not configured to allow OAuth2 authentication.')
  demandFields(await readForm(), { provider: [required, length(0, 100), unknownProvider], code: [required] })
}
