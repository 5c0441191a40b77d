import { readFields } from '../../data/contact-fields.ts'
import { CSV_MARK, writeCsvLines } from '../../data/files/csv.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'

/** Contacts as CSV, with a column for each of their own fields. The console can import it again. */
export function writeContactsCsv(
  contacts: readonly Contact[],
  nameOfGroup: (id: string) => string,
  defined: readonly ContactField[],
): string {
  const titles = [
    ...new Set(contacts.flatMap((contact) => readFields(contact).map(([title]) => title))),
  ]
  const data = contacts.map((contact) => {
    const fields = new Map(readFields(contact))
    const groups = contact.groups.map(nameOfGroup).filter(Boolean).join(', ')
    const own = titles.map((title) => fields.get(title) ?? '')
    return [contact.name, contact.phone, groups, contact.opted_out ? 'yes' : 'no', ...own]
  })
  const head = [
    'Name',
    'Number',
    'Groups',
    'Opted out',
    ...titles.map((key) => defined.find((field) => field.key === key)?.name ?? key),
  ]
  return CSV_MARK + writeCsvLines([head, ...data])
}
