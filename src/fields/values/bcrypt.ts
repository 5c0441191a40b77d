import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Semaphore } from '../../admission/semaphore.ts'

/** Loaded for the first password: the agent also runs where no native build exists, such as Android. */
let loaded: typeof import('bcrypt') | undefined
function bcrypt(): typeof import('bcrypt') {
  loaded ??= createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')
  return loaded
}

/** bcrypt reads no more; Go refuses longer passwords instead of cutting them. */
export const MAX_PASSWORD_BYTES = 72
/** Cost of a hash whose field names none: 10, as in PocketBase. */
const DEFAULT_COST = 10

/** A hash takes a core for 57 ms. One core, and one of Node's four threads, stay free. */
const PLACES = Math.min(3, Math.max(1, availableParallelism() - 1))
/** Maximum waiting hashes of unknown addresses, some 17 s of a core; the same for known ones. */
const MAX_WAITING = 300 * PLACES
const places = new Semaphore('passwords to check', PLACES, MAX_WAITING)

/** Throws a RangeError for a password over 72 bytes. */
export function checkLength(plain: string): void {
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) throw new RangeError('The password exceeds 72 bytes.')
}

/** Hashes a password in turns between holders. Throws a RangeError over 72 bytes, 503 if too many wait. */
export async function hashPassword(plain: string, cost = 0, holder?: string): Promise<string> {
  checkLength(plain)
  return places.run(() => bcrypt().hash(plain, cost > 0 ? cost : DEFAULT_COST), holder)
}

/** Whether a hash belongs to the password. `isKnown` goes before clients from unknown addresses. */
export async function verifyPassword(
  plain: string,
  hash: string,
  holder?: string,
  isKnown = false,
): Promise<boolean> {
  return plain !== '' && hash !== '' && places.run(() => bcrypt().compare(plain, hash), holder, isKnown)
}
