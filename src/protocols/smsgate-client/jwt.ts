import { jwtVerify, SignJWT } from 'jose'
import type { Db } from '../../db/open.ts'
import { readOrMakeParam } from '../../db/params.ts'
import { randomText } from '../../tools/random.ts'

/** What a token of SMSGate's client API says. */
export interface TokenClaims {
  readonly jti: string
  readonly sub: string
  readonly iss: string
  /** Unix seconds. */
  readonly iat: number
  readonly exp: number
  readonly user_id: string
  readonly scopes: readonly string[]
}

const ALGORITHM = 'HS256'
const PARAM = 'smsgateTokenSecret'
const SECRET_LENGTH = 43

/** The secret of these tokens alone: none of them is a PocketBase token, nor the reverse. */
async function secretOf(db: Db): Promise<Uint8Array> {
  const secret = await readOrMakeParam(db, PARAM, async () => JSON.stringify(randomText(SECRET_LENGTH)))
  return new TextEncoder().encode(JSON.parse(secret) as string)
}

export async function signClaims(db: Db, claims: TokenClaims): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .sign(await secretOf(db))
}

/** The claims of a token that this server signed and that has not expired; null for any other text. */
export async function readToken(db: Db, token: string): Promise<TokenClaims | null> {
  if (token.split('.').length !== 3) return null
  const secret = await secretOf(db)
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      requiredClaims: ['jti', 'exp'],
    })
    return payload as unknown as TokenClaims
  } catch {
    return null // a bad signature is an answer, not a fault
  }
}
