import bcrypt from 'bcrypt'

/** What bcrypt reads of a password; Go refuses to hash a longer one instead of cutting it. */
export const MAX_PASSWORD_BYTES = 72
/** Work of a hash whose field names none: 10, as in PocketBase. */
const DEFAULT_COST = 10

/** Hash of a password, off the main thread. Throws a RangeError for one over 72 bytes. */
export function hashPassword(plain: string, cost = 0): Promise<string> {
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) throw new RangeError('The password exceeds 72 bytes.')
  return bcrypt.hash(plain, cost > 0 ? cost : DEFAULT_COST)
}

/** True if the hash is that of the password; false for a hash that is none. Off the main thread. */
export async function verifyPassword(plain: string, hash: string): Promise<boolean> {
  return plain !== '' && hash !== '' && bcrypt.compare(plain, hash)
}
