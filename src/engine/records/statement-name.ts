import { memoize } from '../../platform/tools/lru.ts'
import type { Catalog } from '../collections/catalog.ts'

/** Maximum names of prepared statements. Each costs memory in every connection. */
const MAX_NAMES = 300

/** If this many names are in use, a statement that varies with what a client chose gets none. */
const MAX_FREE_NAMES = 150

const namesOf = memoize((_: Catalog) => new Map<string, string>())

/** Name of a prepared statement; undefined if no name is left. Names change with the collections. */
export function findStatementName(
  catalog: Catalog,
  text: string,
  isFree = false,
): string | undefined {
  const known = namesOf(catalog)
  let name = known.get(text)
  if (name === undefined && known.size < (isFree ? MAX_FREE_NAMES : MAX_NAMES)) {
    name = `records ${catalog.version} ${known.size}`
    known.set(text, name)
  }
  return name
}
