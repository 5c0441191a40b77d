import type { Store } from '../../engine/collections/catalog.ts'
import { makeCountError } from '../../gateway/base/permissions.ts'
import { readRecipients } from '../../gateway/base/read-numbers.ts'
import { findGroupsByName } from '../../gateway/hooks/compose-hook-text.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { foldName } from '../../portable/fold-text.ts'
import { splitAtCommas } from '../read-parameters.ts'

/** Recipients by kind, each a list with commas: `to` of numbers, `contacts` and `groups` of names. */
export type Recipients = Partial<Record<'to' | 'contacts' | 'groups', string>>

const findContacts = (db: Db, user: string) =>
  queries(db).selectFrom('contacts').select(['name', 'phone']).where('user', '=', user)

/**
 * Phone numbers and group ids of recipients; `numbers`: those of the request alone. Throws 400 for more than
 * `max` of a kind, for an unknown name, and if several contacts have it.
 */
export async function findRecipients(store: Store, user: string, max: number, given: Recipients) {
  const [to, contacts, groups] = [given.to, given.contacts, given.groups].map((list) =>
    splitAtCommas(list ?? ''),
  )
  if (contacts!.length > max || groups!.length > max) throw makeCountError(max)
  const numbers = await readRecipients(store, user, to!, max)
  return {
    numbers,
    recipients: [...new Set([...numbers, ...(await findPhonesByName(store, user, contacts!))])],
    group_ids: await findGroupsByName(store, user, groups!),
  }
}

async function findPhonesByName(
  store: Store,
  user: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const exact = await findContacts(store.db, user).where('name', '=', matchAny(names)).execute()
  const people = Map.groupBy(exact, ({ name }) => name)
  // other spellings are looked for only if there is none that is exact
  const others = names.every((name) => people.has(name))
    ? []
    : await findContacts(store.db, user).where('name', '<>', '').execute()
  const spelled = Map.groupBy(others, ({ name }) => foldName(name))
  return names.map((name) => {
    const [person, other] = people.get(name) ?? spelled.get(foldName(name)) ?? []
    if (person && !other) return person.phone
    throw invalidRequest(
      `${other ? 'Several contacts are' : 'No contact is'} called "${name.slice(0, 40)}"`,
    )
  })
}
