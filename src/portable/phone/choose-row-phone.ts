import { isMachineTitle, isMobileTitle } from './column-titles.ts'
import type { PersonColumns } from './guess-columns.ts'
import { isMobilePhone } from './numbering-plans.ts'
import { splitCellNumbers } from './numbers-in-cell.ts'
import type { PhoneReading } from './read-phone.ts'
import { readTypedPhone } from './read-typed-phone.ts'

/** The number of a row that most likely receives texts: mobile before other numbers, never a fax. */
export function chooseRowPhone(
  head: readonly string[],
  cells: readonly string[],
  { phones }: Pick<PersonColumns, 'phones'>,
  country: string,
): PhoneReading {
  const found = phones.flatMap((at) => {
    const label = findPhoneLabel(head, cells, at)
    const isMobile = isMobileTitle(`${head[at] ?? ''} ${label}`)
    const texts = isMachineTitle(label) ? [] : splitCellNumbers(cells[at] ?? '')
    return texts.map((text) => rankPhone(text, country, isMobile))
  })
  const [best] = found.toSorted((a, b) => a.rank - b.rank)
  return best?.reading ?? readTypedPhone('', country)
}

export const joinRowName = (
  cells: readonly string[],
  { names }: Pick<PersonColumns, 'names'>,
): string =>
  names
    .map((at) => (cells[at] ?? '').trim())
    .filter((part) => part !== '')
    .join(' ')

/** The label of a number in a column: Google has `Phone 1 - Label` beside `Phone 1 - Value`. */
function findPhoneLabel(head: readonly string[], cells: readonly string[], at: number): string {
  const [, stem] = /^(.+ - )Value$/.exec(head[at] ?? '') ?? []
  const label = stem
    ? head.findIndex((title) => title === `${stem}Label` || title === `${stem}Type`)
    : -1
  return cells[label] ?? ''
}

/** Ranks a number from 0, the best. Texts that are no numbers rank after them, then empty cells. */
function rankPhone(text: string, country: string, isMobileKind: boolean) {
  const reading = readTypedPhone(text, country)
  const { phone, fault } = reading
  if (fault) return { reading, rank: fault.problem === 'empty' ? 5 : 4 }
  return { reading, rank: (isMobilePhone(phone) ? 0 : 2) + (isMobileKind ? 0 : 1) }
}
