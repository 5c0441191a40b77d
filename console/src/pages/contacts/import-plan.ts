import { chooseRowPhone, joinRowName } from '#portable/phone/choose-row-phone.ts'
import type { PersonColumns } from '#portable/phone/guess-columns.ts'
import type { PhoneReading } from '#portable/phone/read-phone.ts'
import { findValueFault } from '../../data/contact-field-words.ts'
import { findField } from '../../data/contact-fields.ts'
import type { BadRow, Sheet } from '../../data/files/sheet.ts'
import { describePhoneFault } from '../../data/phone/phone-words.ts'
import type { ContactField } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'

export interface NewContact {
  readonly row: number
  readonly name: string
  readonly phone: string
  /** Values of the kept columns by column title, without empty values. */
  readonly data: Readonly<Record<string, string>>
}

export interface Plan {
  readonly good: readonly NewContact[]
  readonly bad: readonly BadRow[]
}

const MAX_NAME = 255

/**
 * Sorts rows into good and bad. Numbers without a country code belong to `country`. A row that
 * repeats the number of an earlier one is bad.
 */
export function planImport(
  { head, rows, lines }: Sheet,
  columns: PersonColumns,
  country: string,
  kept: readonly number[],
  fields: readonly ContactField[] = [],
): Plan {
  const good: NewContact[] = []
  const bad: BadRow[] = []
  const seen = new Map<string, number>()
  for (const [at, cells] of rows.entries()) {
    const row = lines[at]!
    const name = joinRowName(cells, columns)
    const reading = chooseRowPhone(head, cells, columns, country)
    const { phone } = reading
    const data = readData(head, cells, kept)
    const why = findFault(reading, name, seen) || findDataFault(data, fields)
    if (why || !phone) bad.push({ row, cells, why })
    else {
      seen.set(phone, row)
      good.push({ row, name, phone, data })
    }
  }
  return { good, bad }
}

const readData = (head: readonly string[], cells: readonly string[], kept: readonly number[]) =>
  Object.fromEntries(
    kept
      .map((at) => [head[at]!.trim(), (cells[at] ?? '').trim()])
      .filter(([, value]) => value !== ''),
  )

/** Why a value does not fit its field; '' if all do. */
function findDataFault(
  data: Readonly<Record<string, string>>,
  fields: readonly ContactField[],
): string {
  for (const [title, value] of Object.entries(data)) {
    const field = findField(fields, title)
    const fault = field && findValueFault(field, value)
    if (fault) return fault
  }
  return ''
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
