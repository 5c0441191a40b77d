import { ApiError, RetryLater } from '../../platform/api-errors.ts'
import type { Ticket } from '../../platform/limits/limit-holder.ts'
import { memoize } from '../../platform/tools/lru.ts'
import type { Catalog } from '../collections/catalog.ts'
import type { Collection, Rule } from '../collections/collection.ts'
import { toColumnName } from '../collections/sql-names.ts'
import { compileFilter, prepareFilter } from '../filter/compile-filter.ts'
import type { CompiledFilter, FilterQuery, Predicate } from '../filter/compiled-filter.ts'
import { FilterError } from '../filter/parse-filter.ts'
import type { RecordRow } from '../records/record-row.ts'
import type { RequestInfo } from '../request/request.ts'
import type { RecordChange } from './load-changes.ts'

/**
 * Decides whether a record is visible. `question`: the SQL query to run if `testRowLocally` cannot decide.
 */
export type Access =
  | { readonly kind: 'always' | 'never' }
  | {
      readonly kind: 'if'
      readonly condition: Predicate
      readonly params: readonly unknown[]
      readonly question: CompiledFilter | undefined
    }

export const ALWAYS: Access = { kind: 'always' }

const NEVER: Access = { kind: 'never' }

/**
 * Returns a function that decides who may see a change (see Access), by a rule and a client's filter. If the
 * filter is invalid, nothing is visible. PocketBase: apis/realtime.go, realtimeCanAccessRecord
 */
export function makeAccessMaker(
  catalog: Catalog,
  collection: Collection,
  rule: Rule,
  filter: string,
  request: RequestInfo,
  ticket?: Ticket,
): () => Access {
  const bound = request.auth?.isSuperuser ? '' : rule
  if (bound === null) return () => NEVER
  if (bound === '' && filter === '') return () => ALWAYS
  const question: FilterQuery = { collection, rule: bound, filter, sort: '', request, ticket }
  return catchInvalidFilter(
    () => {
      if (dependsOnTime(`${bound} ${filter}`)) {
        const bind = prepareFilter(catalog, question)
        return () => catchInvalidFilter(() => toAccess(bind()), NEVER)
      }
      const access = toAccess(compileFilter(catalog, question))
      return () => access
    },
    () => NEVER,
  )
}

const dependsOnTime = (text: string) => /@(?!request\.|collection\.)|\bnow\b/i.test(text)

function toAccess(question: CompiledFilter): Access {
  if (question.never) return NEVER
  const { params, structure } = question
  const { condition } = structure
  return { kind: 'if', condition, params, question: isLocalTest(condition) ? undefined : question }
}

function catchInvalidFilter<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RetryLater || !(error instanceof FilterError || error instanceof ApiError))
      throw error
    return otherwise
  }
}

const positionsOf = memoize(
  ({ fields }: Collection): ReadonlyMap<string, number> =>
    new Map(fields.map(({ name }, i) => [toColumnName(name), i])),
)

/** Evaluates a condition in this process, comparing bytes as Postgres does. Undefined if it needs SQL. */
export function testRowLocally(
  predicate: Predicate,
  collection: Collection,
  row: RecordRow,
  params: readonly unknown[],
): boolean | undefined {
  if ('items' in predicate) {
    const decisive = predicate.kind === 'or'
    let verdict: boolean | undefined = !decisive
    for (const item of predicate.items) {
      const one = testRowLocally(item, collection, row, params)
      if (one === decisive) return decisive
      if (one === undefined) verdict = undefined
    }
    return verdict
  }
  if (predicate.kind === 'opaque' || !isLocalTest(predicate)) return undefined
  const stored = row[positionsOf(collection).get(predicate.column)!]
  if (predicate.kind === 'flag') return stored === true
  const { value, sign } = predicate
  return (stored === (value && params[value.index])) === (sign === '=')
}

export function isLocalTest(predicate: Predicate): boolean {
  if ('items' in predicate) return predicate.items.every(isLocalTest)
  if (predicate.kind !== 'comparison') return predicate.kind === 'flag'
  const { sign, value } = predicate
  return (sign === '=' || sign === '<>') && (value === '' || value.cast === 'text')
}

export const findAccessFilter = (access: Access): CompiledFilter | undefined =>
  access.kind === 'if' ? access.question : undefined

/** Whether a change is visible by this Access. Undefined if only the database can decide. */
export function decideLocally(
  access: Access,
  { collection, judgedRow }: RecordChange,
): boolean | undefined {
  if (access.kind !== 'if') return access.kind === 'always'
  return judgedRow ? testRowLocally(access.condition, collection, judgedRow, access.params) : false
}
