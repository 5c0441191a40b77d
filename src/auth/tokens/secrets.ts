import { createHash } from 'node:crypto'
import type { Holder } from '../../admission/holder.ts'
import type { AuthCollection } from '../../collections/catalog.ts'
import { hashPassword, verifyPassword } from '../../fields/bcrypt.ts'
import type { PasswordField } from '../../fields/field.ts'
import { generateText } from '../../fields/pattern.ts'
import { randomText } from '../../tools/random.ts'

export const randomDigits = (length: number) => generateText(`[0-9]{${length}}`)

/** SHA-256 in hex, for secrets that are long and random. */
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** MD5 in hex, only for the fingerprints in `_authOrigins`, as PocketBase stores them. */
export const md5 = (text: string) => createHash('md5').update(text).digest('hex')

const decoys = new Map<number, Promise<string>>()

/** Takes as long as checking a password, so that timing does not reveal whether a record exists. */
export async function verifyDecoy(plain: string, cost: number, holder?: Holder): Promise<false> {
  const decoy = decoys.get(cost) ?? hashPassword(randomText(20), cost)
  decoys.set(cost, decoy)
  decoy.catch(() => decoys.delete(cost)) // refused under load: the next check hashes again
  await verifyPassword(plain, await decoy, holder)
  return false
}

export function passwordField(collection: AuthCollection): PasswordField | undefined {
  return collection.fields.find((field) => field.type === 'password' && field.name === 'password') as
    | PasswordField
    | undefined
}
