import { computeTotp, readTotpStep } from '../../../src/engine/auth/totp.ts'
import { request } from './request.ts'

const FACTOR = '/api/account/second-factor'

/**
 * Sets up an authenticator app for the person of a token. Answers its secret and the recovery codes. A fresh
 * sign-in by a provider needs no password.
 */
export async function setUpApp(
  url: string,
  headers: Readonly<Record<string, string>>,
  password?: string,
): Promise<{ secret: string; recovery: string[] }> {
  const { secret } = (await request(url, 'POST', FACTOR, { password }, headers)).body
  const code = computeTotp(secret, readTotpStep())
  const { status, body } = await request(url, 'POST', `${FACTOR}/confirm`, { code }, headers)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { secret, recovery: body.recovery_codes }
}
