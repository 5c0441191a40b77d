import { isSameName } from '#portable/fold-text.ts'
import { chooseRowPhone } from '#portable/phone/choose-row-phone.ts'
import { findRowFault, type Sheet } from '../../data/files/sheet.ts'
import { listVariables } from '../../data/text/variables.ts'

/** Variables that contacts fill in, with or without a column of their name. */
const OF_CONTACTS = ['name', 'phone', 'stop_link']

interface ListRow {
  readonly line: number
  readonly to: string
  readonly values: Readonly<Record<string, string>>
}

/** The placeholders in a text for which there is no column. */
export const listUnknownPlaceholders = (text: string, { head }: Sheet): string[] =>
  listVariables(text).filter(
    (name) => ![...OF_CONTACTS, ...head].some((title) => isSameName(title.trim(), name)),
  )

/**
 * The rows of a sheet as the server takes them, without those of the file's own faults. A number that cannot
 * be read goes as it is written: the server says what is wrong with it.
 */
export const makeListRows = (
  sheet: Sheet,
  phones: readonly number[],
  country: string,
): readonly ListRow[] =>
  sheet.rows.flatMap((cells, at) => {
    const line = sheet.lines[at]!
    if (findRowFault(sheet, line)) return []
    const { phone } = chooseRowPhone(sheet.head, cells, { phones }, country)
    const to = phone ?? phones.map((column) => cells[column]?.trim() ?? '').join(' ')
    const values = Object.fromEntries(
      sheet.head.map((title, column) => [title.trim(), cells[column]?.trim() ?? '']),
    )
    return [{ line, to, values }]
  })

/** How many rows of a list are posted at each pause of typing. */
export const MOST_PREVIEWED = 100

/** The rows that show how a text reads: the first, and that with the longest value of each column. */
export function pickPreviewedRows(list: readonly ListRow[]): readonly ListRow[] {
  const longest = new Map<string, ListRow>()
  for (const row of list)
    for (const [title, value] of Object.entries(row.values))
      if (value.length > (longest.get(title)?.values[title]?.length ?? -1)) longest.set(title, row)
  return [...new Set([...list.slice(0, MOST_PREVIEWED), ...longest.values()])]
}
