import { createRequire } from 'node:module'
import type { Everybody, Holder } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'

/** Loaded when first needed: the phone agent also runs where bcrypt has no native build, such as Android. */
let loaded: typeof import('bcrypt') | undefined
function loadBcrypt(): typeof import('bcrypt') {
  loaded ??= createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')
  return loaded
}

/** bcrypt ignores bytes after the 72nd, so longer passwords are refused, as in Go. */
const MAX_PASSWORD_BYTES = 72
export const isTooLongToHash = (plain: string): boolean =>
  Buffer.byteLength(plain) > MAX_PASSWORD_BYTES
/** bcrypt's cost for a field that sets none, as in PocketBase. */
const DEFAULT_COST = 10

/** Hashes a password; accounts take turns. Throws RetryLater if too many wait, RangeError over 72 bytes. */
export async function hashPassword(
  plain: string,
  cost = 0,
  holder: Holder | Everybody = 'server',
): Promise<string> {
  if (isTooLongToHash(plain)) throw new RangeError('The password exceeds 72 bytes.')
  return admission.passwords.run(holder, () =>
    loadBcrypt().hash(plain, cost > 0 ? cost : DEFAULT_COST),
  )
}

/** Whether `hash` is of this password. Accounts take turns. Throws RetryLater if too many wait. */
export const verifyPassword = async (
  plain: string,
  hash: string,
  holder: Holder | Everybody = 'server',
): Promise<boolean> =>
  plain !== '' &&
  hash !== '' &&
  admission.passwords.run(holder, () => loadBcrypt().compare(plain, hash))
