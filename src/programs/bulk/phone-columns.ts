import { UserError } from '../../platform/errors.ts'
import { guessColumns } from '../../portable/phone/columns.ts'
import { isNumberCell } from '../../portable/phone/numbers-in-cell.ts'
import type { CsvRow } from './csv.ts'

const DEFAULT = 'phone'

/**
 * Names the columns with the numbers: `wanted`, by default `phone`, otherwise those whose cells have numbers.
 * `isGuessed`: neither the user nor the file has named them. Throws a UserError if there is none.
 */
export function phoneColumns(rows: readonly CsvRow[], wanted: string, country: string) {
  const head = Object.keys(rows[0]!.values)
  const named = wanted || DEFAULT
  if (head.includes(named)) return { titles: [named], isGuessed: false }
  if (wanted) throw new UserError(`The file has no column ${wanted}: ${HELP}`)
  if (head.some((title) => isNumberCell(title, country)))
    throw new UserError('The first line has a phone number: write a line with column names before it.')
  const cells = rows.map(({ values }) => head.map((title) => values[title]!))
  const titles = guessColumns(head, cells, country).phones.map((at) => head[at]!)
  if (titles.length === 0) throw new UserError(`The file has no column with numbers: ${HELP}`)
  return { titles, isGuessed: true }
}

const HELP = 'name the one with the numbers with --phone.'
