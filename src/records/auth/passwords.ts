import type { Collection } from '../../collections/collection.ts'
import { checkLength, hashPassword, verifyPassword } from '../../fields/values/bcrypt.ts'
import type { PasswordWork } from '../input/password-work.ts'
import type { Prepared } from '../input/prepared.ts'
import type { Values } from '../input/values.ts'

/** That of the server itself. */
export const OWN_WORK: PasswordWork = { hash: hashPassword, verify: verifyPassword }

/** Stands for a hash that is not made yet: nothing has it. */
const PLACEHOLDER = '$2a$10$'.padEnd(60, '.')

/** Hashes and verdicts of one write: no attempt makes again what an earlier one has made. */
export class PasswordMemory {
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #verdicts = new Map<string, Promise<boolean>>()

  /**
   * Work that makes what is not known yet. Under a lock it makes no comparison: one that is not known is
   * false.
   */
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

/** What failed is made again: the next attempt may be another caller's. */
function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? make()
  known.set(key, value)
  value.catch(() => known.delete(key))
  return value
}

/** Each new password of a record with the field that it is for. */
const newPasswords = (collection: Collection, { passwords }: Pick<Prepared, 'passwords'>) =>
  collection.fields.flatMap((field) => {
    const plain = field.type === 'password' ? passwords[field.name] : ''
    return plain && field.type === 'password' ? [{ field, plain }] : []
  })

export const hasNewPassword = (collection: Collection, prepared: Pick<Prepared, 'passwords'>): boolean =>
  newPasswords(collection, prepared).length > 0

/**
 * The values as they will be, but for the hashes of new passwords. Throws a RangeError for one over 72 bytes.
 */
export function withoutHashes(collection: Collection, prepared: Prepared): Values {
  const values = { ...prepared.values }
  for (const { field, plain } of newPasswords(collection, prepared)) {
    checkLength(plain)
    values[field.name] = PLACEHOLDER
  }
  return values
}

/**
 * The values with the hashes of new passwords in place of their text. Throws a RangeError for one over 72
 * bytes.
 */
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
