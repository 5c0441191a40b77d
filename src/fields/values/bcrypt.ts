import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Places } from '../../admission/places.ts'

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
const total = Math.min(3, Math.max(1, availableParallelism() - 1))
const places = new Places({ name: 'passwords to check', total, share: total })

/** Throws a RangeError for a password over 72 bytes. */
export function checkLength(plain: string): void {
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) throw new RangeError('The password exceeds 72 bytes.')
}

/** Hashes a password in turns between holders. Throws a RangeError over 72 bytes, and RetryLater. */
export async function hashPassword(plain: string, cost = 0, holder = ''): Promise<string> {
  checkLength(plain)
  return places.run(holder, () => bcrypt().hash(plain, cost > 0 ? cost : DEFAULT_COST))
}

/** Whether a hash belongs to the password, in turns between holders. Throws RetryLater. */
export const verifyPassword = async (plain: string, hash: string, holder = ''): Promise<boolean> =>
  plain !== '' && hash !== '' && places.run(holder, () => bcrypt().compare(plain, hash))
