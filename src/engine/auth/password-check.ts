import type { Holder } from '../../platform/limits/limit-holder.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { hashPassword, verifyPassword } from '../fields/bcrypt.ts'
import type { PasswordField } from '../fields/field.ts'

const decoys = new Map<number, Promise<string>>()

/** Takes as long as checking a password, so that timing does not reveal whether a record exists. */
export async function verifyDecoy(plain: string, cost: number, holder?: Holder): Promise<false> {
  const decoy = decoys.get(cost) ?? hashPassword(makeRandomText(20), cost)
  decoys.set(cost, decoy)
  decoy.catch(() => decoys.delete(cost)) // refused under load: the next check hashes again
  await verifyPassword(plain, await decoy, holder)
  return false
}

export const findPasswordField = ({ fields }: AuthCollection): PasswordField | undefined =>
  fields.find(
    (field): field is PasswordField => field.type === 'password' && field.name === 'password',
  )
