import type { AuthCollection } from '../collections/collection.ts'

/**
 * How one may sign in to a collection, as PocketBase's JSON. OAuth2 is shown as switched on where it is, without
 * providers: exchanging their codes is not built. PocketBase: apis/record_auth_methods.go
 */
export function renderAuthMethods({ passwordAuth, oauth2, mfa, otp }: AuthCollection): string {
  const identityFields = passwordAuth.enabled ? passwordAuth.identityFields : []
  return JSON.stringify({
    password: { identityFields, enabled: passwordAuth.enabled },
    oauth2: { providers: [], enabled: oauth2.enabled },
    mfa: { enabled: mfa.enabled, duration: mfa.enabled ? mfa.duration : 0 },
    otp: { enabled: otp.enabled, duration: otp.enabled ? otp.duration : 0 },
    authProviders: oauth2.enabled ? [] : null,
    usernamePassword: identityFields.includes('username'),
    emailPassword: identityFields.includes('email'),
  })
}
