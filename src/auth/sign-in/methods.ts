import type { AuthCollection } from '../../collections/collection.ts'
import { providerInfos } from '../oauth2/link-url.ts'

/** The ways to sign in as JSON, including old keys. PocketBase: apis/record_auth_methods.go */
export function renderAuthMethods({ passwordAuth, oauth2, mfa, otp }: AuthCollection): string {
  const identityFields = passwordAuth.enabled ? passwordAuth.identityFields : []
  const providers = oauth2.enabled ? providerInfos(oauth2.providers) : []
  return JSON.stringify({
    password: { identityFields, enabled: passwordAuth.enabled },
    oauth2: { providers, enabled: oauth2.enabled },
    mfa: { enabled: mfa.enabled, duration: mfa.enabled ? mfa.duration : 0 },
    otp: { enabled: otp.enabled, duration: otp.enabled ? otp.duration : 0 },
    authProviders: oauth2.enabled ? providers.map((one) => ({ ...one, logo: '' })) : null,
    usernamePassword: identityFields.includes('username'),
    emailPassword: identityFields.includes('email'),
  })
}
