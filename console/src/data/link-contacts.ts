import { pb } from './client.ts'
import type { Contact } from './record-types.ts'

/** A filter for the contacts of a person. */
export const writePersonFilter = (person: string): string =>
  pb.filter('person = {:person}', { person })

/** Makes two contacts numbers of one person, with all contacts that are linked to one of them. */
export async function linkContacts(one: Contact, other: Contact): Promise<void> {
  const person = one.person || other.person || one.id
  const followers =
    other.person && other.person !== person ? await listPerson(other.person) : [other]
  await setPerson(
    [one, ...followers].filter((contact) => contact.person !== person),
    person,
  )
}

/** Removes a contact from those of its person. The last one that is left is linked to nobody. */
export async function unlinkContact(contact: Contact): Promise<void> {
  const others = (await listPerson(contact.person)).filter(({ id }) => id !== contact.id)
  await setPerson(others.length === 1 ? [contact, ...others] : [contact], '')
}

const listPerson = (person: string) =>
  pb.collection('contacts').getFullList<Contact>({ filter: writePersonFilter(person) })

async function setPerson(contacts: readonly Contact[], person: string): Promise<void> {
  const batch = pb.createBatch()
  for (const { id } of contacts) batch.collection('contacts').update(id, { person })
  if (contacts.length > 0) await batch.send()
}
