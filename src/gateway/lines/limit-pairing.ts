import { limitCodeGuesses, limitPrivateTokens } from '../../engine/auth/sign-in-limits.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { RetryLater } from '../../platform/api-errors.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'

/** Runs `pair`, which tries a pairing code or an SMSGate token. Throws 429 after too many wrong ones. */
export async function limitPairing<T>(
  c: Ctx,
  services: Services,
  pair: () => Promise<T>,
  privateToken?: string,
): Promise<T> {
  const { db } = services.store.signIn
  const ip = c.env.incoming.ip
  try {
    if (privateToken === undefined) return await limitCodeGuesses(db, 'code', ip, pair)
    return await limitPrivateTokens(db, ip, privateToken, pair)
  } catch (error) {
    // pass on all but the 429 for too many wrong codes
    if (!(error instanceof RetryLater) || error.status !== 429) throw error
    c.header('retry-after', String(error.retryAfterSeconds))
    throw gatewayRefusal('too_many_tries')
  }
}
