import { readFields } from '../../data/contact-fields.ts'
import { CSV_MARK, writeCsvLines } from '../../data/files/csv.ts'
import type { Contact } from '../../data/record-types.ts'

/** A text that a spreadsheet would read as a formula. Phone numbers like +49 151 do not match. */
const FORMULA = /^[=@\t\r]|^[+-](?!\d[\d\s]*$)/

const guardFormula = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

/** Contacts as CSV, with a column for each of their own fields. The console can import it again. */
export function writeContactsCsv(
  contacts: readonly Contact[],
  nameOfGroup: (id: string) => string,
): string {
  const titles = [
    ...new Set(contacts.flatMap((contact) => readFields(contact).map(([title]) => title))),
  ]
  const data = contacts.map((contact) => {
    const fields = new Map(readFields(contact))
    const groups = contact.groups.map(nameOfGroup).filter(Boolean).join(', ')
    const own = titles.map((title) => fields.get(title) ?? '')
    return [contact.name, contact.phone, groups, contact.opted_out ? 'yes' : 'no', ...own].map(
      guardFormula,
    )
  })
  const head = ['Name', 'Number', 'Groups', 'Opted out', ...titles].map(guardFormula)
  return CSV_MARK + writeCsvLines([head, ...data])
}
