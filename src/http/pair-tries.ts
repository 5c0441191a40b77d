import { attemptCode, attemptPrivateToken } from '../auth/attempts.ts'
import { TooMany } from '../errors.ts'
import { refuse } from '../sms/refusal.ts'
import { clientIp } from './client-ip.ts'
import type { Ctx, Services } from './context.ts'

/**
 * Tries a pairing code and answers what `pair` does. A right one does not count. Throws 429 after too many wrong
 * ones.
 */
export const tryCode = <T>(c: Ctx, services: Services, pair: () => Promise<T>): Promise<T> =>
  withRetryAfter(c, () => attemptCode(services.store.db, clientIp(c, services), pair))

/** The same for a code that an SMSGate app shows as its private token. */
export const tryPrivateToken = <T>(
  c: Ctx,
  services: Services,
  token: string,
  pair: () => Promise<T>,
): Promise<T> =>
  withRetryAfter(c, () => attemptPrivateToken(services.store.db, clientIp(c, services), token, pair))

async function withRetryAfter<T>(c: Ctx, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TooMany)) throw error
    c.header('retry-after', String(error.retryAfterSeconds))
    throw refuse('too_many_tries')
  }
}
