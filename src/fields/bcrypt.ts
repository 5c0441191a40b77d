import { createRequire } from 'node:module'
import { admission } from '../admission/admission.ts'
import type { Everybody, Holder } from '../admission/holder.ts'

/** Loaded for the first password: the agent also runs where no native build exists, such as Android. */
let loaded: typeof import('bcrypt') | undefined
function bcrypt(): typeof import('bcrypt') {
  loaded ??= createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')
  return loaded
}

/** bcrypt ignores further bytes, so longer passwords are refused, as in Go. */
export const MAX_PASSWORD_BYTES = 72
/** Cost of a hash if the field sets none, as in PocketBase. */
const DEFAULT_COST = 10

/** Throws a RangeError for a password over 72 bytes. */
export function checkLength(plain: string): void {
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) throw new RangeError('The password exceeds 72 bytes.')
}

/** Hashes a password in the holder's turn. Throws a RangeError for one over 72 bytes, and RetryLater. */
export async function hashPassword(
  plain: string,
  cost = 0,
  holder: Holder | Everybody = 'server',
): Promise<string> {
  checkLength(plain)
  return admission.passwords.run(holder, () => bcrypt().hash(plain, cost > 0 ? cost : DEFAULT_COST))
}

/** Whether a hash is of the password, compared in the holder's turn. Throws RetryLater. */
export const verifyPassword = async (
  plain: string,
  hash: string,
  holder: Holder | Everybody = 'server',
): Promise<boolean> =>
  plain !== '' && hash !== '' && admission.passwords.run(holder, () => bcrypt().compare(plain, hash))
