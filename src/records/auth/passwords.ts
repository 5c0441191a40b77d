import type { Collection } from '../../collections/collection.ts'
import { hashPassword, MAX_PASSWORD_BYTES, verifyPassword } from '../../fields/values/bcrypt.ts'
import type { PasswordWork } from '../input/password-work.ts'
import type { Prepared } from '../input/prepared.ts'
import type { Values } from '../input/values.ts'

/** Hashing on this server. */
export const OWN_WORK: PasswordWork = { hash: hashPassword, verify: verifyPassword }

/** Placeholder for a hash that is not made yet. */
const PLACEHOLDER = '$2a$10$'.padEnd(60, '.')

/** Hashes and comparisons of one write, so that a repeated attempt does not redo them. */
export class PasswordMemory {
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #verdicts = new Map<string, Promise<boolean>>()

  /** Work that does what is not cached. Under a lock it compares nothing: an unknown comparison is false. */
  over(work: PasswordWork, isLocked = false): PasswordWork {
    return {
      hash: (plain, cost) => remember(this.#hashes, `${cost} ${plain}`, () => work.hash(plain, cost)),
      verify: async (plain, hashed) => {
        const key = `${hashed} ${plain}`
        if (isLocked) return this.#verdicts.get(key) ?? false
        return remember(this.#verdicts, key, () => work.verify(plain, hashed))
      },
    }
  }
}

/** Failures are not cached: the next attempt may be another caller's. */
function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? make()
  known.set(key, value)
  value.catch(() => known.delete(key))
  return value
}

/** New passwords of a record by field. */
const newPasswords = (collection: Collection, { passwords }: Pick<Prepared, 'passwords'>) =>
  collection.fields.flatMap((field) => {
    const plain = field.type === 'password' ? passwords[field.name] : ''
    return plain && field.type === 'password' ? [{ field, plain }] : []
  })

export const hasNewPassword = (collection: Collection, prepared: Pick<Prepared, 'passwords'>): boolean =>
  newPasswords(collection, prepared).length > 0

/** Whether bcrypt would not read all of a new password. */
export const isTooLong = (collection: Collection, prepared: Prepared): boolean =>
  newPasswords(collection, prepared).some(({ plain }) => Buffer.byteLength(plain) > MAX_PASSWORD_BYTES)

/** The values with a placeholder for each new password. */
export function withoutHashes(collection: Collection, prepared: Prepared): Values {
  const values = { ...prepared.values }
  for (const { field } of newPasswords(collection, prepared)) values[field.name] = PLACEHOLDER
  return values
}

/** The values with hashed passwords. Throws a RangeError over 72 bytes. */
export async function hashPasswords(
  collection: Collection,
  prepared: Pick<Prepared, 'values' | 'passwords'>,
  work: PasswordWork,
): Promise<Values> {
  const hashed = { ...prepared.values }
  for (const { field, plain } of newPasswords(collection, prepared)) {
    hashed[field.name] = await work.hash(plain, field.cost)
  }
  return hashed
}
