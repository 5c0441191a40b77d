import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { valueAt } from './profile.ts'
import type { ProviderClient } from './provider-client.ts'
import type { Provider } from './provider-type.ts'

const LEEWAY_SECONDS = 300

/** The claims of an id token from the token endpoint. Throws if it is expired or not yet valid. */
export function readClaims(idToken: string): JWTPayload {
  const claims = decodeJwt(idToken)
  const { exp = Infinity, nbf = 0, iat = 0 } = claims
  if ([exp, nbf, iat].some((time) => typeof time !== 'number')) throw new TypeError('a time is no number')
  const now = Date.now() / 1000
  if (now >= exp + LEEWAY_SECONDS || now < Math.max(nbf, iat) - LEEWAY_SECONDS)
    throw new Error('the id_token has expired or is not valid yet')
  return claims
}

/**
 * Returns the claims of an id token. Throws unless it is valid now, for this client, by the demanded issuer
 * and key. PocketBase: tools/auth/oidc.go, apple.go; OpenID Connect Core, 3.1.3.7
 */
export async function readIdToken(provider: Provider, idToken: string, send: ProviderClient) {
  const claims = readClaims(idToken)
  if (![claims.aud].flat().includes(provider.clientId)) throw new Error('the id_token is for another client')
  const { issuers, jwksURL } = demandsOf(provider)
  if (issuers.length > 0 && !issuers.includes(String(claims.iss)))
    throw new Error(`the id_token is from ${claims.iss}`)
  if (jwksURL) await checkSignature(idToken, jwksURL, send)
  return claims
}

function demandsOf({ idToken, extra }: Provider): { issuers: readonly string[]; jwksURL: string } {
  if (idToken) return idToken
  const issuers = [valueAt(extra, 'issuers') ?? []].flat().map(String)
  return { issuers, jwksURL: String(valueAt(extra, 'jwksURL') ?? '') }
}

async function checkSignature(idToken: string, jwksURL: string, send: ProviderClient): Promise<void> {
  const { status, text } = await send(jwksURL)
  if (status >= 400) throw new Error(`the keys were refused with ${status}`)
  const keys = createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
  await jwtVerify(idToken, keys, { clockTolerance: LEEWAY_SECONDS })
}
