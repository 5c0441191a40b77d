import { foldName, isSameName } from '#portable/fold-text.ts'
import { MAX_TEXT_CHARACTERS } from '#portable/max-text-characters.ts'
import { chooseRowPhone } from '#portable/phone/choose-row-phone.ts'
import type { PhoneReading } from '#portable/phone/read-phone.ts'
import { countSegments } from '#portable/segments.ts'
import { fillVariables, parseTextTemplate, renderForPerson } from '#portable/text-template.ts'
import { type BadRow, findRowFault, type Sheet } from '../../data/files/sheet.ts'
import { describePhoneFault } from '../../data/phone/phone-words.ts'
import { listVariables } from '../../data/text/variables.ts'
import { t } from '../../language/words.ts'

export interface ListText {
  readonly row: number
  readonly phone: string
  readonly body: string
  readonly segments: number
}

export interface ListPlan {
  readonly good: readonly ListText[]
  readonly bad: readonly BadRow[]
  readonly segments: number
}

/** The names that contacts have, and why numbers get no text, both by the number. */
export interface Recipients {
  readonly names: ReadonlyMap<string, string>
  readonly reasons: ReadonlyMap<string, string>
}

export const UNKNOWN: Recipients = { names: new Map(), reasons: new Map() }

/** Variables that a row fills without a column of their name. */
const OF_ROWS: readonly string[] = ['name', 'phone']

const findColumn = (head: readonly string[], name: string): number =>
  head.findIndex((title) => isSameName(title.trim(), name))

/** The placeholders in a text for which there is no column. */
export const listUnknownPlaceholders = (text: string, { head }: Sheet): string[] =>
  listVariables(text).filter(
    (name) => !OF_ROWS.includes(foldName(name)) && findColumn(head, name) < 0,
  )

/** Reads the phone number of each row. Numbers without a country code belong to `country`. */
export const readNumbers = (
  { head, rows }: Sheet,
  phones: readonly number[],
  country: string,
): readonly PhoneReading[] => rows.map((cells) => chooseRowPhone(head, cells, { phones }, country))

/**
 * Makes a text for each row. A placeholder takes the value of the column of the same name, ignoring case; a
 * contact keeps its own name.
 * @param numbers from `readNumbers`, which is slow: callers keep them while the text changes.
 */
export function planList(
  sheet: Sheet,
  numbers: readonly PhoneReading[],
  phones: readonly number[],
  text: string,
  { names, reasons }: Recipients = UNKNOWN,
): ListPlan {
  const good: ListText[] = []
  const bad: BadRow[] = []
  const seen = new Map<string, number>()
  const fill = makeTextFiller(text, sheet, phones)
  for (const [at, cells] of sheet.rows.entries()) {
    const row = sheet.lines[at]!
    const { phone, fault } = numbers[at]!
    const { body, empty } = fill(cells, phone ?? '', names.get(phone ?? '') ?? '')
    const key = `${phone} ${body}`
    const before = seen.get(key)
    const why =
      findRowFault(sheet, row) ||
      (fault && describePhoneFault(fault)) ||
      findTextFault(body, empty, before) ||
      (reasons.get(phone ?? '') ?? '')
    if (why || !phone) bad.push({ row, cells, why })
    else {
      seen.set(key, row)
      good.push({ row, phone, body, segments: countSegments(body).segments })
    }
  }
  return { good, bad, segments: good.reduce((sum, { segments }) => sum + segments, 0) }
}

/**
 * Returns a function that fills in a row's text, with the phone number in E.164. The function's result also
 * has `empty`: the first placeholder without a value or default; '' if there is none.
 */
function makeTextFiller(text: string, { head }: Sheet, phones: readonly number[]) {
  const template = parseTextTemplate(text)
  const columns = listVariables(text)
    .map((name) => [name, findColumn(head, name)] as const)
    .filter(([, column]) => column >= 0)
  return (cells: readonly string[], phone: string, name: string) => {
    let empty = ''
    const read = (column: number) =>
      phones.length === 1 && phones[0] === column ? phone : (cells[column] ?? '').trim()
    const values = Object.fromEntries(columns.map(([title, column]) => [title, read(column)]))
    const body = renderForPerson(
      fillVariables(template, values),
      { name, phone },
      (missing, given) => {
        // a placeholder without a column is reported once for all rows
        if (given === undefined) return `{{${missing}}}`
        empty ||= missing
        return ''
      },
    )
    return { body, empty }
  }
}

function findTextFault(body: string, empty: string, before: number | undefined): string {
  if (empty) return t('Nothing in “{column}”', { column: empty })
  if ([...body].length > MAX_TEXT_CHARACTERS)
    return t('Longer than {max} characters', { max: MAX_TEXT_CHARACTERS })
  return before === undefined
    ? ''
    : t('The same text to the same number as in row {row}', { row: before })
}
