import { type Check, demandFields, notLonger, required } from '../collections/checks.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { object, optionalMap, text } from '../collections/decode.ts'
import type { Db } from '../db/open.ts'
import { badRequest, fieldError, forbidden } from '../errors.ts'
import { formatDate } from '../fields/date.ts'
import { writeSorted } from '../fields/json-text.ts'
import { attemptAtProvider } from './attempts.ts'
import type { Desk } from './desk.ts'
import { takeAppleName } from './oauth2/apple-name.ts'
import { reach } from './oauth2/call.ts'
import { exchange } from './oauth2/exchange.ts'
import type { Provider, ProviderToken } from './oauth2/kind.ts'
import type { Profile, Raw } from './oauth2/profile.ts'
import { providerOf } from './oauth2/provider.ts'
import { fetchUser } from './oauth2/user.ts'

/** What a client submits that comes back from a provider. `redirectUrl` of old is the same key in another case. */
export interface OAuth2Form {
  createData: Record<string, unknown> | null
  provider: string
  code: string
  codeVerifier: string
  redirectURL: string
}
export const OAUTH2_FORM = object<OAuth2Form>({
  createData: optionalMap,
  provider: text,
  code: text,
  codeVerifier: text,
  redirectURL: text,
})

/** Somebody for whom a provider vouches, before it is known which record is theirs. */
export interface Arrival {
  /** The provider's name in the options. */
  readonly provider: string
  readonly profile: Profile
  /** What a new record is to have. */
  readonly createData: Readonly<Record<string, unknown>>
  readonly raw: Raw
  readonly token: ProviderToken
}

/**
 * Exchanges the code of a form for somebody's profile at the provider. Throws 403 where the collection has no OAuth2, 400
 * for a form with errors and for a provider that refuses, 429 after too much that went wrong.
 * PocketBase: apis/record_auth_with_oauth2.go
 */
export async function arriveByOAuth2(
  db: Db,
  desk: Desk,
  { id: collection, oauth2 }: AuthCollection,
  ip: string,
  readForm: () => Promise<OAuth2Form>,
): Promise<Arrival> {
  if (!oauth2.enabled) throw forbidden('The collection is not configured to allow OAuth2 authentication.')
  const form = await readForm()
  const options = oauth2.providers.find(({ name }) => name === form.provider)
  const provider = options && providerOf(options)
  demandFields(
    form,
    { provider: [required, notLonger(100), isThere(provider)], code: [required] },
    'An error occurred while loading the submitted data.',
  )
  if (!provider) throw new Error(`there is no provider ${form.provider}`) // said above
  return attemptAtProvider({ db, config: desk.config, collection, ip }, () => visit(desk, provider, form))
}

const isThere =
  (provider: Provider | undefined): Check =>
  (name) =>
    provider
      ? undefined
      : fieldError(
          'validation_invalid_provider',
          `Provider with name ${name} is missing or is not enabled.`,
          {
            name,
          },
        )

async function visit(desk: Desk, provider: Provider, form: OAuth2Form): Promise<Arrival> {
  const send = reach()
  const refused = (message: string) => (error: unknown) => {
    desk.log.warn({ err: error, provider: provider.name }, 'a provider did not let somebody in')
    throw badRequest(message)
  }
  const token = await exchange(provider, form, send).catch(refused('Failed to fetch OAuth2 token.'))
  const user = await fetchUser(provider, token, send).catch(refused('Failed to fetch OAuth2 user.'))
  const name = user.profile.name || (provider.name === 'apple' ? takeAppleName(form.code) : '')
  const profile = { ...user.profile, name }
  return { provider: provider.name, profile, raw: user.raw, token, createData: form.createData ?? {} }
}

/** What the answer to a sign-in tells of the provider, as JSON text. PocketBase: tools/auth/auth.go, AuthUser */
export function renderMeta({ profile, raw, token }: Arrival, isNew: boolean): string {
  return writeSorted({
    ...profile,
    avatarUrl: profile.avatarURL,
    accessToken: token.accessToken,
    refreshToken: token.refreshToken,
    expiry: token.expiry ? formatDate(new Date(token.expiry)) : '',
    rawUser: raw,
    isNew,
  })
}
