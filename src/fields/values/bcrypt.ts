import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Semaphore } from '../../tools/semaphore.ts'

/**
 * Compiled code, loaded for the first password: an agent is the same program, also where nobody built it for,
 * as on Android.
 */
let loaded: typeof import('bcrypt') | undefined
function bcrypt(): typeof import('bcrypt') {
  loaded ??= createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')
  return loaded
}

/** What bcrypt reads of a password; Go refuses to hash a longer one instead of cutting it. */
export const MAX_PASSWORD_BYTES = 72
/** Work of a hash whose field names none: 10, as in PocketBase. */
const DEFAULT_COST = 10

/**
 * A password takes a core for 57 ms, so one stays free for everything else. And of Node's four threads, which
 * also sign tokens and look up names: without this, a flood of sign-ins stops all that.
 */
const PLACES = Math.min(3, Math.max(1, availableParallelism() - 1))
/**
 * Hashes of clients from unknown addresses that may wait, some 17 s a core; as many of known ones besides.
 */
const MAX_WAITING = 300 * PLACES
/** What a 503 says when too many wait. */
export const TOO_MANY_PASSWORDS = 'Too many passwords are being checked. Try again in a moment.'
const places = new Semaphore(PLACES, { maxWaiting: MAX_WAITING, refusal: TOO_MANY_PASSWORDS })

/** Throws a RangeError for a password over 72 bytes. */
export function checkLength(plain: string): void {
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) throw new RangeError('The password exceeds 72 bytes.')
}

/**
 * Hash of a password, off the main thread, in the turn of `holder`: the account or address that asks. Throws
 * a RangeError for one over 72 bytes, 503 when too many wait.
 */
export async function hashPassword(plain: string, cost = 0, holder?: string): Promise<string> {
  checkLength(plain)
  return places.run(() => bcrypt().hash(plain, cost > 0 ? cost : DEFAULT_COST), holder)
}

/**
 * True if the hash is that of the password; false for a hash that is none. In turns, and throws 503, as
 * above. With `isKnown` it goes before the work of clients whose address is unknown.
 */
export async function verifyPassword(
  plain: string,
  hash: string,
  holder?: string,
  isKnown = false,
): Promise<boolean> {
  return plain !== '' && hash !== '' && places.run(() => bcrypt().compare(plain, hash), holder, isKnown)
}
