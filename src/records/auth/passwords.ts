import type { Collection } from '../../collections/collection.ts'
import { checkLength, hashPassword, verifyPassword } from '../../fields/values/bcrypt.ts'
import type { PasswordWork } from '../input/password-work.ts'
import type { Prepared } from '../input/prepared.ts'
import type { Values } from '../input/values.ts'

/** That of the server itself. */
export const OWN_WORK: PasswordWork = { hash: hashPassword, verify: verifyPassword }

/** Stands for a hash that is not made yet: nothing has it. */
const PLACEHOLDER = '$2a$10$'.padEnd(60, '.')

/** Each password is hashed and compared once, however often a write is tried. */
export interface RememberedWork extends PasswordWork {
  /** The same for work under locks: a comparison that is not known is false, rather than made. */
  readonly locked: PasswordWork
}

export function rememberWork(work: PasswordWork): RememberedWork {
  const [hashes, verdicts] = [new Map<string, Promise<string>>(), new Map<string, Promise<boolean>>()]
  const hash = (plain: string, cost: number) =>
    remember(hashes, `${cost} ${plain}`, () => work.hash(plain, cost))
  const verify = (plain: string, hashed: string) =>
    remember(verdicts, `${hashed} ${plain}`, () => work.verify(plain, hashed))
  const known = async (plain: string, hashed: string) => verdicts.get(`${hashed} ${plain}`) ?? false
  return { hash, verify, locked: { hash, verify: known } }
}

function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? make()
  known.set(key, value)
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
