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
 * Evaluates a condition on the record's own texts and bools; undefined where the database decides. Most rules
 * compare only an owner (`user = @request.auth.id`). Texts are compared byte by byte, as in the database.
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

/** Whether testLocally decides each part of a condition. */
export function isLocal(predicate: Predicate): boolean {
  if ('items' in predicate) return predicate.items.every(isLocal)
  if (predicate.kind !== 'comparison') return predicate.kind === 'flag'
  const { sign, value } = predicate
  return (sign === '=' || sign === '<>') && (value === '' || value.cast === 'text')
}
