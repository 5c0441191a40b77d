import type { Catalog } from '../../collections/catalog.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import { Lru } from '../../tools/lru.ts'
import { memoize } from '../../tools/memoize.ts'

/** A record of a list, and where it stands. */
export interface Border {
  readonly created: string
  /** Its `_rowid`. */
  readonly row: string
  /**
   * How many records of the list are older. Those follow it, itself included, where the newest come first.
   */
  readonly older: number
}

/** What was true when borders were remembered. */
interface Remembered {
  /** Changes whenever a record older than an hour has come or gone (Extension.total). */
  readonly stamp: string
  /** How many records the list had last. */
  readonly total: number
  /** The latest remembered one is the last. */
  readonly borders: readonly Border[]
}

/** A border that is near a page, and the stamp with which it is true. */
export interface NearBorder extends Border {
  readonly stamp: string
}

const MAX_LISTS = 500
const MAX_BORDERS = 32

const listsOf = memoize((_: Catalog) => new Lru<string, Remembered>(MAX_LISTS))

const keyOf = ({ where, orderBy, params }: CompiledFilter) => JSON.stringify([where, orderBy, params])

/** The last border that should stand before the record at `place`, from 0. It may have moved since. */
export function borderBefore(
  catalog: Catalog,
  list: CompiledFilter,
  isNewestFirst: boolean,
  place: number,
): NearBorder | undefined {
  const known = listsOf(catalog).get(keyOf(list))
  if (!known) return undefined
  const placeOf = ({ older }: Border) => (isNewestFirst ? known.total - older : older)
  const before = known.borders.filter((border) => placeOf(border) <= place)
  const [first, ...others] = before
  if (!first) return undefined
  const nearest = others.reduce((best, one) => (placeOf(one) > placeOf(best) ? one : best), first)
  return { ...nearest, stamp: known.stamp }
}

/**
 * Notes the stamp and the total that a list has now. Borders of another stamp are forgotten; `border` is
 * remembered.
 */
export function noteList(
  catalog: Catalog,
  list: CompiledFilter,
  { stamp, total, border }: { stamp: string; total: number; border: Border | undefined },
): void {
  const lists = listsOf(catalog)
  const key = keyOf(list)
  const known = lists.get(key)
  const others = known?.stamp === stamp ? known.borders.filter(({ row }) => row !== border?.row) : []
  lists.set(key, { stamp, total, borders: [...others, ...(border ? [border] : [])].slice(-MAX_BORDERS) })
}
