import { jwtVerify } from 'jose'
import type { Db } from '../../platform/db/open.ts'
import { loadOrMakeParam } from '../../platform/db/secrets.ts'
import { makeRandomText } from '../../platform/tools/random.ts'

export const ALGORITHM = 'HS256'
const PARAM = 'smsgateTokenSecret'
const SECRET_LENGTH = 43

/**
 * The secret that signs SMSGate tokens. PocketBase has another: neither kind of token passes as the other.
 */
export async function readTokenSecret(db: Db): Promise<Uint8Array> {
  const secret = await loadOrMakeParam(db, PARAM, async () =>
    JSON.stringify(makeRandomText(SECRET_LENGTH)),
  )
  return new TextEncoder().encode(JSON.parse(secret) as string)
}

/** The `jti` of a token that this server signed and that has not expired; null for any other text. */
export async function readToken(db: Db, token: string): Promise<string | null> {
  if (token.split('.').length !== 3) return null
  const secret = await readTokenSecret(db)
  try {
    const options = { algorithms: [ALGORITHM], requiredClaims: ['jti', 'exp'] }
    const { payload } = await jwtVerify(token, secret, options)
    return payload.jti!
  } catch {
    return null // for example after a wrong signature
  }
}
