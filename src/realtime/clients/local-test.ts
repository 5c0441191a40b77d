import type { Collection } from '../../collections/collection.ts'
import { columnName } from '../../collections/names.ts'
import type { Predicate } from '../../filter/compile/compiled-filter.ts'
import type { RecordRow } from '../../records/columns.ts'
import { memoize } from '../../tools/memoize.ts'

/** The positions of a collection's columns in a RecordRow. */
const positionsOf = memoize(
  ({ fields }: Collection): ReadonlyMap<string, number> =>
    new Map(fields.map(({ name }, i) => [columnName(name), i])),
)

/**
 * What a compiled condition says of a record, as far as the record's texts and bools tell; undefined where
 * the database has to be asked. Most rules do no more than compare an owner (`user = @request.auth.id`) and
 * need no query then, however many listen; of `a AND b` the part that is known rules most viewers out. Texts
 * are equal here when they are in the database: both compare them byte by byte.
 */
export function testLocally(
  predicate: Predicate,
  collection: Collection,
  row: RecordRow,
  params: readonly unknown[],
): boolean | undefined {
  if ('items' in predicate) {
    const decisive = predicate.kind === 'or'
    let verdict: boolean | undefined = !decisive
    for (const item of predicate.items) {
      const one = testLocally(item, collection, row, params)
      if (one === decisive) return decisive
      if (one === undefined) verdict = undefined
    }
    return verdict
  }
  if (predicate.kind === 'opaque' || !isLocal(predicate)) return undefined
  const stored = row[positionsOf(collection).get(predicate.column)!]
  if (predicate.kind === 'flag') return stored === true
  const { value, sign } = predicate
  return (stored === (value && params[value.index])) === (sign === '=')
}

/** True for a condition of which every part is known here. */
export function isLocal(predicate: Predicate): boolean {
  if ('items' in predicate) return predicate.items.every(isLocal)
  if (predicate.kind !== 'comparison') return predicate.kind === 'flag'
  const { sign, value } = predicate
  return (sign === '=' || sign === '<>') && (value === '' || value.cast === 'text')
}
