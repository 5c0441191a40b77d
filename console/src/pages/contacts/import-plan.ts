import { chooseRowPhone, joinRowName } from '#portable/phone/choose-row-phone.ts'
import type { PersonColumns } from '#portable/phone/guess-columns.ts'
import type { PhoneReading } from '#portable/phone/read-phone.ts'
import { findValueFault } from '../../data/contact-field-words.ts'
import { findField } from '../../data/contact-fields.ts'
import { type BadRow, findRowFault, type Sheet } from '../../data/files/sheet.ts'
import { describePhoneFault } from '../../data/phone/phone-words.ts'
import type { ContactField } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'

export interface NewContact {
  readonly row: number
  readonly name: string
  readonly phone: string
  /** Values of the kept columns by title, without empty ones and those that do not fit their field. */
  readonly data: Readonly<Record<string, string>>
}

export interface Plan {
  readonly good: readonly NewContact[]
  readonly bad: readonly BadRow[]
  /** Good rows again, for each of their values that does not fit its field. */
  readonly misfits: readonly BadRow[]
}

const MAX_NAME = 255

/**
 * Sorts rows into good and bad. Numbers without a country code belong to `country`. A row that
 * repeats the number of an earlier one is bad. A value that does not fit its field is left out alone.
 */
export function planImport(
  sheet: Sheet,
  columns: PersonColumns,
  country: string,
  kept: readonly number[],
  fields: readonly ContactField[] = [],
): Plan {
  const { head, rows, lines } = sheet
  const good: NewContact[] = []
  const bad: BadRow[] = []
  const misfits: BadRow[] = []
  const seen = new Map<string, number>()
  for (const [at, cells] of rows.entries()) {
    const row = lines[at]!
    const name = joinRowName(cells, columns)
    const reading = chooseRowPhone(head, cells, columns, country)
    const { phone } = reading
    const why = findRowFault(sheet, row) || findFault(reading, name, seen)
    if (why || !phone) {
      bad.push({ row, cells, why })
      continue
    }
    const values = readValues(head, cells, kept)
    const faults = new Map(
      values.map(([title, value]) => [title, findFieldFault(title, value, fields)]),
    )
    for (const fault of faults.values()) if (fault) misfits.push({ row, cells, why: fault })
    seen.set(phone, row)
    const data = Object.fromEntries(values.filter(([title]) => !faults.get(title)))
    good.push({ row, name, phone, data })
  }
  return { good, bad, misfits }
}

/** A column's title as a member of contacts' data: without signs that mark variables in templates. */
export const toMemberName = (title: string): string =>
  title.replace(/[{}|]+/g, ' ').trim() || title.trim()

const readValues = (head: readonly string[], cells: readonly string[], kept: readonly number[]) =>
  kept
    .map((at) => [toMemberName(head[at]!), (cells[at] ?? '').trim()] as const)
    .filter(([, value]) => value !== '')

/** Why a value does not fit the field of its column; undefined if it does, or if there is no such field. */
function findFieldFault(
  title: string,
  value: string,
  fields: readonly ContactField[],
): string | undefined {
  const field = findField(fields, title)
  return field && findValueFault(field, value)
}

function findFault(
  { phone, fault }: PhoneReading,
  name: string,
  seen: Map<string, number>,
): string {
  if (fault) return describePhoneFault(fault)
  if (name.length > MAX_NAME)
    return t('The name is longer than {max} characters', { max: MAX_NAME })
  const before = seen.get(phone)
  return before === undefined ? '' : t('The same number as in row {row}', { row: before })
}
