import { giveTryBack, takeTry } from '../auth/tries.ts'
import { refuse } from '../sms/refusal.ts'
import { clientIp } from './client-ip.ts'
import type { Ctx, Services } from './context.ts'

/** Wrong codes from one address, and for how long they count. */
const MAX_TRIES = 8
const TRY_SECONDS = 300

/**
 * Tries a pairing code, by whatever protocol: so many wrong ones an address. One that was right does not count. Throws
 * 429 when there were too many.
 */
export async function tryCode<T>(c: Ctx, services: Services, pair: () => Promise<T>): Promise<T> {
  const { db } = services.store
  const key = `pair ${clientIp(c, services)}`
  if (!(await takeTry(db, key, MAX_TRIES, TRY_SECONDS))) throw refuse('too_many_tries')
  const paired = await pair()
  await giveTryBack(db, key)
  return paired
}
