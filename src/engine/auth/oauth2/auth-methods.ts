import type { AuthCollection } from '../../collections/collection.ts'
import { infoOf } from './authorization-url.ts'
import { providerOf } from './providers.ts'

/** The ways to sign in as JSON, with keys for old clients, too. PocketBase: apis/record_auth_methods.go */
export function renderAuthMethods({ passwordAuth, oauth2, mfa, otp }: AuthCollection): string {
  const identityFields = passwordAuth.enabled ? passwordAuth.identityFields : []
  const known = oauth2.enabled ? oauth2.providers.flatMap((one) => providerOf(one) ?? []) : []
  const providers = known.map(infoOf)
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
