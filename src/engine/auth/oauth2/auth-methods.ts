import { hash } from 'node:crypto'
import { makeRandomText } from '../../../platform/tools/random.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { completeProvider } from './complete-provider-profile.ts'
import type { Provider } from './read-provider-profile.ts'

/** The ways to sign in as JSON, with keys for old clients, too. PocketBase: apis/record_auth_methods.go */
export function renderAuthMethods({ passwordAuth, oauth2, mfa, otp }: AuthCollection): string {
  const identityFields = passwordAuth.enabled ? passwordAuth.identityFields : []
  const known = oauth2.enabled ? oauth2.providers.flatMap((one) => completeProvider(one) ?? []) : []
  const providers = known.map(makeProviderInfo)
  return JSON.stringify({
    password: { identityFields, enabled: passwordAuth.enabled },
    oauth2: { providers, enabled: oauth2.enabled },
    mfa: { enabled: mfa.enabled, duration: mfa.enabled ? mfa.duration : 0 },
    otp: { enabled: otp.enabled, duration: otp.enabled ? otp.duration : 0 },
    authProviders: oauth2.enabled ? providers.map((one) => ({ ...one, logo: '' })) : [],
    usernamePassword: identityFields.includes('username'),
    emailPassword: identityFields.includes('email'),
  })
}

const STATE_LENGTH = 30

const VERIFIER_LENGTH = 43

function makeProviderInfo(provider: Provider) {
  const { name, displayName, pkce } = provider
  const state = makeRandomText(STATE_LENGTH)
  const codeVerifier = pkce ? makeRandomText(VERIFIER_LENGTH) : ''
  const codeChallenge = pkce ? hash('sha256', codeVerifier, 'base64url') : ''
  const codeChallengeMethod = pkce ? 'S256' : ''
  const authURL = makeAuthUrl(provider, {
    state,
    ...provider.authParams,
    ...(pkce && { code_challenge: codeChallenge, code_challenge_method: codeChallengeMethod }),
  })
  const challenge = { codeVerifier, codeChallenge, codeChallengeMethod }
  const logo = OAUTH2_PROVIDERS.get(name)?.logo ?? ''
  return { name, displayName, logo, state, authURL, authUrl: authURL, ...challenge }
}

/** The URL to which the client appends its redirect address. RFC 6749, 4.1.1 */
function makeAuthUrl(
  { authURL, clientId, scopes }: Provider,
  more: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...more,
  })
  query.sort()
  return `${authURL}${authURL.includes('?') ? '&' : '?'}${query}&redirect_uri=`
}
