import { randomInt } from 'node:crypto'
import type { AuthCollection } from '../../collections/catalog.ts'
import type { AuthRecord } from '../../request/request.ts'
import { sha256 } from '../tokens/secrets.ts'
import { signToken } from '../tokens/tokens.ts'

const MAX_TRIES = 5
/** Maximum seconds that are added to a token's lifetime to make it unique. */
export const SPREAD_SECONDS = 60

export const durationOf = (auth: AuthRecord): number => (auth.collection as AuthCollection).authToken.duration

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** Signs a token of its own by varying the expiry. `keep` stores the hash; false if it exists. */
export async function signOwnToken(
  auth: AuthRecord,
  keep: (hash: string, expires: number) => Promise<boolean>,
): Promise<{ token: string; isKept: boolean }> {
  for (let tries = 1; ; tries++) {
    const later = tries === 1 ? 0 : 1 + randomInt(SPREAD_SECONDS)
    const expires = nowSeconds() + durationOf(auth) + later
    const token = await signToken(auth, 'auth', { expires })
    const isKept = await keep(sha256(token), expires)
    if (isKept || tries === MAX_TRIES) return { token, isKept }
  }
}
