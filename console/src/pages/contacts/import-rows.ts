import type { BadRow, Columns, Sheet } from '../../data/files/sheet.ts'
import { readPhone } from '../../data/phone.ts'

export interface NewContact {
  /** The row of the file. */
  readonly row: number
  readonly name: string
  readonly phone: string
}

/** What an import would do. */
export interface Plan {
  readonly good: readonly NewContact[]
  readonly bad: readonly BadRow[]
}

const MAX_NAME = 255

/** Judges each row. A number that comes again is bad: the first row has it. */
export function planImport({ rows, first }: Sheet, columns: Columns, prefix: string): Plan {
  const good: NewContact[] = []
  const bad: BadRow[] = []
  const seen = new Map<string, number>()
  for (const [at, cells] of rows.entries()) {
    const row = first + at
    const name = (cells[columns.name] ?? '').trim()
    const phone = readPhone(cells[columns.phone] ?? '', prefix)
    const why = faultOf(phone, name, cells[columns.phone] ?? '', seen)
    if (why || !phone) bad.push({ row, cells, why })
    else {
      seen.set(phone, row)
      good.push({ row, name, phone })
    }
  }
  return { good, bad }
}

function faultOf(phone: string | undefined, name: string, cell: string, seen: Map<string, number>): string {
  if (cell.trim() === '') return 'No number'
  if (!phone) return /^\s*0/.test(cell) ? 'No country in the number' : 'Not a phone number'
  if (name.length > MAX_NAME) return `The name is longer than ${MAX_NAME} characters`
  return seen.has(phone) ? `The same number as in row ${seen.get(phone)}` : ''
}
