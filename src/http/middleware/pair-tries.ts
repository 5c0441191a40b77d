import { limitPairingAttempts, limitPrivateTokenAttempts } from '../../auth/limits/attempt-limits.ts'
import { RetryLater } from '../../errors.ts'
import { gatewayRefusal } from '../../sms/send/refusal.ts'
import type { Ctx, Services } from '../context.ts'
import { clientIp } from '../server/client-ip.ts'

/**
 * Tries a pairing code and answers what `pair` does. A right one does not count. Throws 429 after too many
 * wrong ones.
 */
export const limitPairing = <T>(c: Ctx, services: Services, pair: () => Promise<T>): Promise<T> =>
  withRetryAfter(c, () =>
    limitPairingAttempts(services.store.forEverybody('sign-in').db, clientIp(c, services), pair),
  )

/** The same for a code that an SMSGate app shows as its private token. */
export const limitPrivateTokenPairing = <T>(
  c: Ctx,
  services: Services,
  token: string,
  pair: () => Promise<T>,
): Promise<T> =>
  withRetryAfter(c, () =>
    limitPrivateTokenAttempts(services.store.forEverybody('sign-in').db, clientIp(c, services), token, pair),
  )

async function withRetryAfter<T>(c: Ctx, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error
    c.header('retry-after', String(error.retryAfterSeconds))
    throw gatewayRefusal('too_many_tries')
  }
}
