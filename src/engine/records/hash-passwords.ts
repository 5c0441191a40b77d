import type { Collection } from '../collections/collection.ts'
import { hashPassword, verifyPassword } from '../fields/bcrypt.ts'
import type { Prepared } from './prepare.ts'
import type { Values } from './record-row.ts'

export interface PasswordWork {
  hash(plain: string, cost: number): Promise<string>
  verify(plain: string, hash: string): Promise<boolean>
}

export const OWN_WORK: PasswordWork = { hash: hashPassword, verify: verifyPassword }

/** Remembers password hashes and comparisons of one write, to reuse them when the write is repeated. */
export class PasswordMemory {
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #verdicts = new Map<string, Promise<boolean>>()

  /** Wraps `work` to remember its results. If `isLocked`, `verify` is false for anything not remembered. */
  over(work: PasswordWork, isLocked = false): PasswordWork {
    return {
      hash: (plain, cost) =>
        rememberPromise(this.#hashes, `${cost} ${plain}`, () => work.hash(plain, cost)),
      verify: async (plain, hashed) => {
        const key = `${hashed} ${plain}`
        if (isLocked) return this.#verdicts.get(key) ?? false
        return rememberPromise(this.#verdicts, key, () => work.verify(plain, hashed))
      },
    }
  }
}

/** Returns the remembered promise or makes it. Forgets a promise that is rejected. */
function rememberPromise<T>(
  known: Map<string, Promise<T>>,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
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
