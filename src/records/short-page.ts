import type { Collection } from '../collections/collection.ts'
import { parseIndex } from '../collections/index-expression.ts'
import { columnName, quote } from '../collections/names.ts'
import type { Compiled } from '../filter/compile.ts'
import type { Page } from './page.ts'
import { remember } from './remember.ts'

/** As many rows are read in the time of a few look-ups. */
const SHORT = 100
/** So many are passed over in about the same time. */
const NEAR = 500n

const ONE_VALUE = /^b\.("(?:[^"]|"")+") = \$1::text$/
const ONE_KEY = /^b\.("(?:[^"]|"")+") (?:ASC|DESC), b\._rowid$/

/** The quoted column of which a condition asks for one value, `$1`, and for nothing else: mostly whose a record is. */
export const onlyColumn = ({ where }: Pick<Compiled, 'where'>): string | undefined =>
  ONE_VALUE.exec(where)?.[1]

/** Pairs of columns by which an index of the collection finds and sorts. */
const indexedPairs = remember(({ indexes }: Collection): ReadonlySet<string> => {
  const pairs = indexes.map(parseIndex).filter(({ where, columns }) => where === '' && columns.length > 1)
  return new Set(
    pairs.map(({ columns }) =>
      pairOf(...(columns.map(({ name }) => quote(columnName(name))) as [string, string])),
    ),
  )
})

const pairOf = (found: string, sorted: string) => `${found} ${sorted}`

/** Whether a page, without its total, is the first rows of an index: done at once, however many records there are. */
export function isShort(collection: Collection, compiled: Compiled, { perPage, offset }: Page): boolean {
  if (perPage > SHORT || offset > NEAR) return false
  const found = onlyColumn(compiled)
  const sorted = ONE_KEY.exec(compiled.orderBy)?.[1]
  return found !== undefined && sorted !== undefined && indexedPairs(collection).has(pairOf(found, sorted))
}
