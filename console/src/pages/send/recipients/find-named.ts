import { isSameName } from '#portable/fold-text.ts'
import { pb } from '../../../data/client.ts'
import type { Contact, ContactGroup } from '../../../data/record-types.ts'
import type { Recipient } from '../composition.ts'

/** More names than these of a pasted list stay as they are typed. */
const MOST = 200

/** The one contact, or the group, that a typed name means. */
interface Named {
  readonly people: readonly Recipient[]
  readonly group?: string
}

/** Whether a typed recipient that is no number may be a name. */
export const isPerhapsName = ({ phone, fault }: Recipient): boolean =>
  fault !== undefined && /\p{L}/u.test(phone)

/** Finds what typed names mean, by the name. A name that several people have is not in the result. */
export async function findNamed(
  typed: readonly Recipient[],
  groups: readonly ContactGroup[],
): Promise<ReadonlyMap<string, Named>> {
  const found = new Map<string, Named>()
  await Promise.all(
    typed.slice(0, MOST).map(async ({ phone: name }) => {
      const group = groups.find((one) => isSameName(one.name, name))
      if (group) return found.set(name, { people: [], group: group.id })
      const { items } = await pb
        .collection<Contact>('contacts')
        .getList(1, 2, {
          filter: pb.filter('name ~ {:name}', { name }),
          skipTotal: true,
          sort: 'name',
        })
        .catch(() => ({ items: [] }))
      const same = items.filter((one) => isSameName(one.name, name))
      const only = same.length === 1 ? same[0] : items.length === 1 ? items[0] : undefined
      return only && found.set(name, { people: [{ phone: only.phone, name: only.name }] })
    }),
  )
  return found
}
