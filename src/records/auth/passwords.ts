import type { Collection } from '../../collections/catalog.ts'
import { hashPassword, verifyPassword } from '../../fields/values/bcrypt.ts'
import type { Values } from '../columns.ts'
import type { Prepared } from '../input/prepare.ts'

export interface PasswordWork {
  hash(plain: string, cost: number): Promise<string>
  verify(plain: string, hash: string): Promise<boolean>
}

export const OWN_WORK: PasswordWork = { hash: hashPassword, verify: verifyPassword }

/** Hashes and comparisons of one write, so that a repeated attempt does not redo them. */
export class PasswordMemory {
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #verdicts = new Map<string, Promise<boolean>>()

  /** PasswordWork that remembers results here. Under a lock it makes no new comparison and returns false. */
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

/** The values with hashed passwords. Throws a RangeError for a password over 72 bytes. */
export async function hashPasswords(
  collection: Collection,
  { values, passwords }: Pick<Prepared, 'values' | 'passwords'>,
  work: PasswordWork,
): Promise<Values> {
  const hashed = { ...values }
  for (const field of collection.fields) {
    const plain = field.type === 'password' ? passwords[field.name] : ''
    if (plain && field.type === 'password') hashed[field.name] = await work.hash(plain, field.cost)
  }
  return hashed
}
