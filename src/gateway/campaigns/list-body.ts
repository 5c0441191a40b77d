import { z } from 'zod'
import type { Upload } from '../../engine/files/upload.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { decodeFileText } from '../../portable/file-text.ts'
import { foldName } from '../../portable/fold-text.ts'
import { chooseRowPhone } from '../../portable/phone/choose-row-phone.ts'
import { guessColumns } from '../../portable/phone/guess-columns.ts'
import { isCountry } from '../../portable/phone/numbering-plans.ts'
import { isNumberCell } from '../../portable/phone/numbers-in-cell.ts'
import {
  type CsvTable,
  type CsvTableRow,
  makeTable,
  readCsvCells,
} from '../../portable/read-csv.ts'
import {
  acceptNumber,
  makeIdSchema,
  makeListSchema,
  makeTextSchema,
  makeVariableValue,
  makeWholeNumber,
} from '../base/body-schemas.ts'
import { LIST_REASONS } from './list-reasons.ts'

export const MAX_AUDIENCE = 20_000
const PIECE_BYTES = 1 << 20

const LIST_ROW = z
  .strictObject({
    to: acceptNumber(makeTextSchema(300)).describe('The number, as people write it.'),
    values: z
      .record(makeIdSchema(255), makeVariableValue())
      .nullish()
      .describe('The values of its variables, by name. `name` is for people without a contact.'),
    line: makeWholeNumber(1, 10_000_000)
      .nullish()
      .describe('Its line in the file; left out, its place in the list.'),
  })
  .meta({ id: 'ListRow' })

/** The fields of a list in the body of a new campaign. A form has the file `list` instead. */
export const LIST = {
  list: makeListSchema(LIST_ROW, MAX_AUDIENCE)
    .nullish()
    .describe(
      'Rows with values of their own, each a text: a list. In a multipart body, a CSV file with a line of titles. Excludes other recipients and `repeat`.',
    ),
  columns: z
    .array(makeTextSchema(255), 'must be a list of titles')
    .min(1, 'must not be empty')
    .max(10, 'must have at most 10 items')
    .nullish()
    .describe('The titles of the columns with numbers of a CSV file. Left out: they are guessed.'),
  country: z
    .string()
    .refine(isCountry, 'must be the ISO 3166 code of a country, as DE')
    .nullish()
    .describe('The country of numbers without a calling code. Default: that of the account.'),
}

/** A row of a list as it was given. `reason`: why it gets no text, whatever its number is; '' for others. */
export interface GivenRow {
  readonly line: number
  readonly to: string
  readonly values: Readonly<Record<string, string | number | boolean>>
  readonly reason: string
}

/**
 * A list. Numbers in its file are found once their country is known. `columns`: the titles of those with the
 * numbers in a file.
 */
export type GivenList = (
  country: string,
) => Promise<{ readonly rows: readonly GivenRow[]; readonly columns: readonly string[] }>

/** Reads the rows of a list in JSON. */
export const readListRows =
  (rows: readonly z.output<typeof LIST_ROW>[]): GivenList =>
  async () => ({
    rows: rows.map(({ to, values, line }, at) => ({
      line: line ?? at + 1,
      to: String(to),
      values: values ?? {},
      reason: '',
    })),
    columns: [],
  })

/**
 * Reads the CSV file of a list. `columns`: those with numbers; left out, `phone`, or those whose cells have
 * numbers. Throws 400 for a faulty file.
 */
export const readListFile =
  (file: Pick<Upload, 'content'>, columns?: readonly string[] | null): GivenList =>
  async (country) => {
    const { head, rows } = await readFileTable(file)
    const cells = rows.map((row) => row.cells)
    const phones = findPhoneColumns(head, cells, columns, country)
    const read = ({ line, cells: row, isLong }: CsvTableRow): GivenRow => {
      const { phone } = chooseRowPhone(head, row, { phones }, country)
      const given = phones.map((at) => row[at]!.trim()).find(Boolean) ?? ''
      const values = head.map((title, at) => {
        const isNumber = phones.length === 1 && phones[0] === at
        return [title, isNumber ? (phone ?? given) : row[at]!.trim()] as const
      })
      const reason = isLong ? LIST_REASONS.tooManyCells : ''
      return { line, to: phone ?? given, values: Object.fromEntries(values), reason }
    }
    return {
      rows: await admission.slices.map(rows, read),
      columns: phones.map((at) => head[at]!),
    }
  }

async function readFileTable({ content }: Pick<Upload, 'content'>): Promise<CsvTable> {
  const pieces: Buffer[] = []
  for await (const piece of content.pieces(PIECE_BYTES)) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  // a zip archive, or an old Excel file (MS-CFB 2.2)
  if (/^(?:PK\x03\x04|\xd0\xcf\x11\xe0)/.test(bytes.toString('latin1', 0, 4)))
    throw invalidRequest('list is a spreadsheet: save it as CSV UTF-8')
  return readListTable(cleanText(decodeFileText(bytes)))
}

/** Reads the CSV of a list: a column without a title is `Column 3`. Throws 400 for a faulty file. */
export function readListTable(text: string): CsvTable {
  const { rows: cells, misquoted } = readCsvCells(text)
  if (misquoted)
    throw invalidRequest(`list, line ${misquoted}: a quotation mark is missing or misplaced`)
  const nameColumn = (number: number) => `Column ${number}`
  const { head, rows } = makeTable(cells, () => true, nameColumn, { isCsv: true })
  if (head.length === 0) throw invalidRequest('list is an empty file')
  if (rows.length === 0) throw invalidRequest('list has a line of titles and no rows')
  if (rows.length > MAX_AUDIENCE)
    throw invalidRequest(`list must have at most ${MAX_AUDIENCE} rows`)
  const names = new Set<string>()
  for (const title of head) {
    if (names.has(foldName(title)))
      throw invalidRequest(`list has two columns of the same name: ${title}`)
    names.add(foldName(title))
  }
  return { head, rows }
}

const DEFAULT = 'phone'
const HELP = 'name those with the numbers in columns'

/** The indexes of the columns with numbers. Throws 400 if there are none. */
function findPhoneColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  wanted: readonly string[] | null | undefined,
  country: string,
): readonly number[] {
  if (wanted) {
    const unknown = wanted.find((title) => !head.includes(title))
    if (unknown !== undefined) throw invalidRequest(`list has no column ${unknown}: ${HELP}`)
    return wanted.map((title) => head.indexOf(title))
  }
  if (head.includes(DEFAULT)) return [head.indexOf(DEFAULT)]
  if (head.some((title) => isNumberCell(title, country)))
    throw invalidRequest(
      'list has a phone number in its first line: write a line of titles before it',
    )
  const { phones } = guessColumns(head, rows, country)
  if (phones.length === 0) throw invalidRequest(`list has no column with numbers: ${HELP}`)
  return phones
}
