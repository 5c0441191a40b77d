import { call, type Server } from './server.ts'

const RENEW_BEFORE_MS = 30 * 86_400_000

/** A token's expiry in milliseconds since 1970; Infinity without one. */
function endOf(token: string): number {
  const [, payload = ''] = token.split('.')
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8') || '{}')
  return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY
}

/** Returns a new token if the present one expires within a month. Throws as `call` does. */
export async function renewToken(server: Server): Promise<string | undefined> {
  if (endOf(server.token) - Date.now() > RENEW_BEFORE_MS) return undefined
  const { body } = await call<{ token: string }>(server, 'POST', '/api/collections/devices/auth-refresh', {})
  return body.token
}
