import { attemptCode } from '../auth/attempts.ts'
import { TooMany } from '../errors.ts'
import { refuse } from '../sms/refusal.ts'
import { clientIp } from './client-ip.ts'
import type { Ctx, Services } from './context.ts'

/**
 * Tries a pairing code, by whatever protocol. One that was right does not count. Throws 429 when there were too many wrong
 * ones.
 */
export async function tryCode<T>(c: Ctx, services: Services, pair: () => Promise<T>): Promise<T> {
  try {
    return await attemptCode(services.store.db, clientIp(c, services), pair)
  } catch (error) {
    if (!(error instanceof TooMany)) throw error
    c.header('retry-after', String(error.retryAfterSeconds))
    throw refuse('too_many_tries')
  }
}
