import {
  findNamePart,
  isMobileTitle,
  isNoNameTitle,
  isOtherTitle,
  isPhoneTitle,
  type NamePart,
} from './column-titles.ts'
import { isMobilePhone } from './numbering-plans.ts'
import { isNumberCell, splitCellNumbers } from './numbers-in-cell.ts'
import { readTypedPhone } from './read-typed-phone.ts'

/** The columns of a file of people. */
export interface PersonColumns {
  /** Indexes of the columns with a person's numbers, the likeliest first; empty if there is none. */
  readonly phones: readonly number[]
  /** Indexes of the columns that together have the name, in its order; empty if there is none. */
  readonly names: readonly number[]
}

type Rows = readonly (readonly string[])[]

/** How many cells of a column are looked at. */
const SAMPLE = 25

/**
 * Guesses which columns have numbers and names: numbers by their cells first, names by their titles first.
 * `country` is the country of numbers without a calling code. Several columns have numbers only where all
 * titles say that they are the person's own, such as `Mobile Phone` and `Home Phone`.
 */
export function guessColumns(head: readonly string[], rows: Rows, country = ''): PersonColumns {
  const columns = head.map((title, at) => examineColumn(title, at, rows, country))
  const found = columns.filter(({ isNumbers, title }) => isNumbers && !isOtherTitle(title))
  const ranked = found.toSorted((a, b) => a.rank - b.rank)
  const own = ranked.filter(({ isOwn }) => isOwn)
  const phones = own.length > 0 ? own : ranked.slice(0, 1)
  const titled = columns.filter(({ isOwn }) => isOwn).slice(0, 1)
  const indexes = (phones.length > 0 ? phones : titled).map(({ at }) => at)
  return {
    phones: indexes,
    names: findNameColumns(columns.filter(({ at }) => !indexes.includes(at))),
  }
}

type Column = ReturnType<typeof examineColumn>

function examineColumn(title: string, at: number, rows: Rows, country: string) {
  const cells: string[] = []
  for (const row of rows) {
    const cell = row[at]?.trim()
    if (cell) cells.push(cell)
    if (cells.length === SAMPLE) break
  }
  const most = (fits: (cell: string) => boolean) =>
    cells.length > 0 && cells.filter(fits).length * 2 >= cells.length
  const isNumbers = most((cell) => isNumberCell(cell, country))
  const isOwn = isPhoneTitle(title)
  const isMobiles = isNumbers && most((cell) => hasMobile(cell, country))
  const rank = (isOwn ? 0 : 4) + (isMobiles ? 0 : 2) + (isMobileTitle(title) ? 0 : 1)
  const letters = { hasLetters: most(hasLetters), isWords: most(isWords) }
  return { title, at, isNumbers, isOwn, rank, isEmpty: cells.length === 0, ...letters }
}

function hasMobile(cell: string, country: string): boolean {
  return splitCellNumbers(cell).some((text) => {
    const { phone } = readTypedPhone(text, country)
    return phone !== undefined && isMobilePhone(phone)
  })
}

/** Whether a cell may be a name if its title says so: letters, and no address of mail or of a page. */
const hasLetters = (cell: string): boolean => /\p{L}/u.test(cell) && !/@|:\/\//.test(cell)

/** Whether a cell may be a name without such a title: letters without many digits. */
const isWords = (cell: string): boolean => hasLetters(cell) && !/\p{Nd}{3}/u.test(cell)

const PARTS: readonly NamePart[] = ['first', 'middle', 'last']

function findNameColumns(columns: readonly Column[]): number[] {
  const titled = columns.map((column) => ({ ...column, part: findNamePart(column.title) }))
  const of = (part: NamePart) => titled.find((column) => column.part === part && column.hasLetters)
  const whole = of('whole')
  if (whole) return [whole.at]
  const parts = PARTS.flatMap((part) => of(part) ?? [])
  if (parts.length > 0) return parts.map(({ at }) => at)
  const empty = titled.find(({ part, isEmpty }) => part !== undefined && isEmpty)
  const other = titled.find(({ title, isWords }) => isWords && !isNoNameTitle(title)) ?? empty
  return other ? [other.at] : []
}
