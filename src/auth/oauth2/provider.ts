import type { OAuth2Provider } from '../../collections/auth-shape.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import type { Provider } from './provider-type.ts'
import { PROVIDERS } from './providers.ts'

/** A collection's provider with defaults filled in. Undefined for an unknown name. */
export function providerOf(options: OAuth2Provider): Provider | undefined {
  const kind = PROVIDERS[options.name]
  if (!kind) return undefined
  const { name, clientId, clientSecret } = options
  const extra = options.extra ?? {}
  return {
    ...kind,
    name,
    clientId,
    clientSecret,
    extra,
    displayName: options.displayName || (OAUTH2_PROVIDERS.get(name)?.displayName ?? name),
    authURL: options.authURL || kind.authURL,
    tokenURL: options.tokenURL || kind.tokenURL,
    userInfoURL: options.userInfoURL || kind.userInfoURL,
    pkce: options.pkce ?? kind.pkce,
    scopes: [...kind.scopes, ...(kind.moreScopes?.(extra) ?? [])],
  }
}
