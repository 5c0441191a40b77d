import type { Collection } from '../collections/collection.ts'
import { hashPassword } from '../fields/bcrypt.ts'
import type { Prepared, Values } from './prepare.ts'

/** The values with the hashes of new passwords in place of their text. Throws a RangeError for one over 72 bytes. */
export async function hashPasswords(
  collection: Collection,
  { values, passwords }: Prepared,
): Promise<Values> {
  const hashed = { ...values }
  for (const field of collection.fields) {
    const plain = passwords[field.name]
    if (field.type === 'password' && plain) hashed[field.name] = await hashPassword(plain, field.cost)
  }
  return hashed
}
