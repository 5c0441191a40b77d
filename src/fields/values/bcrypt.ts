import { createRequire } from 'node:module'
import { admission } from '../../admission/admission.ts'
import type { Everybody, Holder } from '../../admission/holder.ts'

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

/** Throws a RangeError for a password over 72 bytes. */
export function checkLength(plain: string): void {
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) throw new RangeError('The password exceeds 72 bytes.')
}

/** Hashes a password; holders take turns. Throws a RangeError over 72 bytes, and RetryLater. */
export async function hashPassword(
  plain: string,
  cost = 0,
  holder: Holder | Everybody = 'server',
): Promise<string> {
  checkLength(plain)
  return admission.passwords.run(holder, () => bcrypt().hash(plain, cost > 0 ? cost : DEFAULT_COST))
}

/** Whether a hash belongs to the password; holders take turns. Throws RetryLater. */
export const verifyPassword = async (
  plain: string,
  hash: string,
  holder: Holder | Everybody = 'server',
): Promise<boolean> =>
  plain !== '' && hash !== '' && admission.passwords.run(holder, () => bcrypt().compare(plain, hash))
