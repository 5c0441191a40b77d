import { MAX_TEXT_CHARACTERS } from '#portable/max-text-characters.ts'
import { chooseRowPhone } from '#portable/phone/choose-row-phone.ts'
import type { PhoneReading } from '#portable/phone/read-phone.ts'
import { countSegments } from '#portable/segments.ts'
import type { BadRow, Sheet } from '../../data/files/sheet.ts'
import { describePhoneFault } from '../../data/phone/phone-words.ts'
import { fillPiece, listVariables, splitAtVariables } from '../../data/text/variables.ts'
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

/** The placeholder for a row's phone number, unless a column has this title. */
const NUMBER = 'phone'

const isSameColumnName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** The placeholders in a text for which there is no column. */
export const listUnknownPlaceholders = (text: string, { head }: Sheet): string[] =>
  listVariables(text).filter(
    (name) =>
      !isSameColumnName(name, NUMBER) && !head.some((title) => isSameColumnName(title, name)),
  )

/** Reads the phone number of each row. Numbers without a country code belong to `country`. */
export const readNumbers = (
  { head, rows }: Sheet,
  phones: readonly number[],
  country: string,
): readonly PhoneReading[] => rows.map((cells) => chooseRowPhone(head, cells, { phones }, country))

/**
 * Makes a text for each row. A placeholder takes the value of the column of the same name, ignoring case.
 * @param numbers from `readNumbers`, which is slow: callers keep them while the text changes.
 * @param refused phone numbers that get no text, with the reason.
 */
export function planList(
  sheet: Sheet,
  numbers: readonly PhoneReading[],
  phones: readonly number[],
  text: string,
  refused: ReadonlyMap<string, string> = new Map(),
): ListPlan {
  const good: ListText[] = []
  const bad: BadRow[] = []
  const seen = new Map<string, number>()
  const fill = makeTextFiller(text, sheet, phones)
  for (const [at, cells] of sheet.rows.entries()) {
    const row = sheet.lines[at]!
    const { phone, fault } = numbers[at]!
    const { body, empty } = fill(cells, phone ?? '')
    const key = `${phone} ${body}`
    const before = seen.get(key)
    const why =
      (fault && describePhoneFault(fault)) ||
      findTextFault(body, empty, before) ||
      (refused.get(phone ?? '') ?? '')
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
  const pieces = splitAtVariables(text).map((piece) => ({
    ...piece,
    column: piece.isVariable ? head.findIndex((title) => isSameColumnName(title, piece.text)) : -1,
  }))
  return (cells: readonly string[], phone: string) => {
    let empty = ''
    const parts = pieces.map((piece) => {
      const { text, isVariable, column } = piece
      if (!isVariable) return text
      if (column < 0 && !isSameColumnName(text, NUMBER)) return `{{${text}}}` // reported once for all rows
      const isNumber = column < 0 || (phones.length === 1 && phones[0] === column)
      const value = fillPiece(piece, isNumber ? phone : (cells[column] ?? '').trim()) ?? ''
      if (value === '' && piece.fallback === undefined) empty ||= text
      return value
    })
    return { body: parts.join(''), empty }
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
