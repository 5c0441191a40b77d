import type { AuthCollection } from '../../collections/collection.ts'
import type { AuthRecord } from '../../request/request.ts'
import { randomBelow } from '../../tools/random.ts'
import { sha256 } from '../tokens/secrets.ts'
import { signToken } from '../tokens/tokens.ts'

const MAX_TRIES = 5
/** By so many seconds at most a token lasts longer than others, to be different from them. */
export const SPREAD_SECONDS = 60

/** Seconds that a token of the record is good for. */
export const durationOf = (auth: AuthRecord): number => (auth.collection as AuthCollection).authToken.duration

/** Unix time. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/**
 * Signs a token that no other session of the record has: those of one second would be the same, so that it
 * may last a little longer. `keep` stores its hash, with its end in Unix seconds; false if a session has it
 * already. `isKept` is false when all tries met tokens of others.
 */
export async function signOwnToken(
  auth: AuthRecord,
  keep: (hash: string, expires: number) => Promise<boolean>,
): Promise<{ token: string; isKept: boolean }> {
  for (let tries = 1; ; tries++) {
    const later = tries === 1 ? 0 : 1 + randomBelow(SPREAD_SECONDS)
    const expires = nowSeconds() + durationOf(auth) + later
    const token = await signToken(auth, 'auth', { expires })
    const isKept = await keep(sha256(token), expires)
    if (isKept || tries === MAX_TRIES) return { token, isKept }
  }
}
