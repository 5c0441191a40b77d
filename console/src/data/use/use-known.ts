import { pb } from '../client.ts'
import type { Contact } from '../records.ts'
import { useLookup } from './use-lookup.ts'

type Known = Pick<Contact, 'name' | 'phone' | 'opted_out'>

/** The contacts of these numbers, as far as read. A number without a contact has none. */
export const useKnown = (numbers: readonly string[]): ((number: string) => Known | undefined) =>
  useLookup(numbers, find)

/** The names of these numbers' contacts; '' without a contact. */
export function useNames(numbers: readonly string[]): (number: string) => string {
  const known = useKnown(numbers)
  return (number) => known(number)?.name ?? ''
}

async function find(numbers: readonly string[]): Promise<[string, Known][]> {
  const filter = numbers.map((phone) => pb.filter('phone = {:phone}', { phone })).join(' || ')
  const { items } = await pb
    .collection<Known & Contact>('contacts')
    .getList(1, numbers.length, { filter, skipTotal: true, fields: 'name,phone,opted_out' })
  return items.map((contact) => [contact.phone, contact])
}
