import type { OAuth2Identity } from './identify-by-oauth2.ts'
import {
  makeProviderClient,
  type Provider,
  type RawProfile,
  readIdToken,
  readProfileText,
} from './read-provider-profile.ts'

/** Microsoft's endpoints that sign in people of every organization, whose admins then choose the claims. */
function isSharedEndpoint(address: string): boolean {
  const { hostname, pathname } = URL.parse(address.toLowerCase()) ?? { hostname: '', pathname: '' }
  const isMicrosoft = ['microsoftonline', 'windows.net'].some((name) => hostname.includes(name))
  const tenants = ['common', 'organizations', 'consumers']
  return isMicrosoft && pathname.split('/').some((part) => tenants.includes(part))
}

/** Whether a provider lets in people of organizations that the server's superuser does not know. */
export const isShared = ({ authURL, tokenURL }: Provider): boolean =>
  isSharedEndpoint(authURL) || isSharedEndpoint(tokenURL)

/**
 * The claims of an OpenID provider about a person: those of the id token, then those of the user info,
 * which are newer. Microsoft's profile counts for nothing, because people edit it. Throws if the id token is
 * not for us, the two are about different people, or the provider is shared. OpenID Connect Core, 3.1.3.7
 * and 5.3.2
 */
export async function readProviderClaims({
  provider,
  raw,
  token,
}: OAuth2Identity): Promise<RawProfile> {
  if (isShared(provider)) throw new Error('the provider signs in people of every organization')
  if (!provider.userInfoURL) return raw // the claims of the id token
  const idToken = readProfileText(token.raw, 'id_token')
  const claims = idToken ? await readIdToken(provider, idToken, makeProviderClient()) : {}
  if (provider.name === 'microsoft') return claims
  if (claims.sub !== undefined && claims.sub !== raw.sub)
    throw new Error('the id_token is about somebody else')
  return { ...claims, ...raw }
}
