import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { forbidden } from '../../errors.ts'
import { FilterError } from '../errors.ts'
import { parseFilter } from '../parse/parse.ts'
import type { Tree } from '../parse/tree.ts'
import type { Context, ReachedRows } from '../resolve/context.ts'
import { nestRowsInExists } from '../resolve/exists.ts'
import type { FilterRow } from '../resolve/row.ts'
import { and, type Condition, FALSE, leaf, or } from '../sql/condition.ts'
import type { Facts } from '../sql/facts.ts'
import type { Input } from '../sql/input.ts'
import { Scope } from '../sql/joined.ts'
import { columnOf, type JoinedRow, sql } from '../sql/sql.ts'
import { buildCondition, checkNames } from './build.ts'
import type { CompiledFilter } from './compiled-filter.ts'
import type { FilterQuery } from './filter-query.ts'
import { Plan, planOf, type Template } from './plan.ts'
import { spendReading, spendShape } from './shape-budget.ts'
import { buildOrder, isOwnField, readSort } from './sort.ts'
import { writeTemplate } from './write-template.ts'

const NO_CANDIDATE = {}

/**
 * Compiles a rule, a client's filter and sort to SQL. Results are cached: a known shape costs microseconds.
 * Throws FilterError for invalid input, ApiError 403 where a client uses superuser-only names, 429 after too
 * many new shapes of one client.
 */
export function compile(catalog: Catalog, question: FilterQuery): CompiledFilter {
  const { collection, rule, sort } = question
  const parsed = parse(question)
  const shape = parsed.client?.shape ?? ''
  const mode = `${parsed.isTrusted ? 's' : ''}${question.candidate ? 'c' : ''}`
  const key = [catalog.version, collection.id, mode, rule, shape, sort].join('\0')
  return fill(catalog, question, parsed, planOf(key, shapeLength(question, parsed.client)))
}

/** The same for an answer that depends on the time: each call of the function binds the present. */
export function prepare(catalog: Catalog, question: FilterQuery): () => CompiledFilter {
  const parsed = parse(question)
  const plan = new Plan()
  return () => fill(catalog, question, parsed, plan)
}

/** The client's share of a shape, in characters. */
const shapeLength = ({ sort }: FilterQuery, client: Tree | null): number =>
  (client?.shape.length ?? 0) + sort.length

interface Parsed {
  readonly client: Tree | null
  readonly isTrusted: boolean
}

function parse(question: FilterQuery): Parsed {
  const { filter, request, ticket } = question
  const isSuperuser = request.auth?.isSuperuser ?? false
  checkClientLimits(question, isSuperuser)
  // In realtime a superuser's filter has a client's rights, as in PocketBase.
  const isTrusted = isSuperuser && request.context !== 'realtime'
  if (filter === '') return { client: null, isTrusted }
  const client = parseFilter(filter, () => spendReading(ticket, filter.length))
  return { client, isTrusted }
}

function fill(
  catalog: Catalog,
  question: FilterQuery,
  { client, isTrusted }: Parsed,
  plan: Plan,
): CompiledFilter {
  const input: Input = {
    request: question.request,
    literals: client?.literals ?? [],
    candidate: question.candidate ?? NO_CANDIDATE,
    now: new Date(),
  }
  const template = plan.find(input, (facts) => {
    spendShape(question.ticket, shapeLength(question, client))
    return makeTemplate(catalog, question, client, isTrusted, facts)
  })
  return bindTemplate(template, input)
}

function bindTemplate({ compiled, params, related }: Template, input: Input): CompiledFilter {
  const bound = { ...compiled, params: params.map((param) => param.bind(input)) }
  if (!related) return bound
  const { text, main, place } = related
  const relatedFirst = {
    text,
    params: related.params.map((param) => param.bind(input)),
    withIds(ids: readonly string[]) {
      const filter = bindTemplate(main, input)
      return { ...filter, params: filter.params.with(place, ids), never: ids.length === 0 || filter.never }
    },
  }
  return { ...bound, relatedFirst }
}

function makeTemplate(
  catalog: Catalog,
  { collection, rule, sort, candidate }: FilterQuery,
  client: Tree | null,
  isTrusted: boolean,
  facts: Facts,
): Template {
  const reached: ReachedRows = new Map()
  const base: FilterRow = candidate ? candidateRow(collection) : tableRow(collection)
  const forRule: Context = { catalog, facts, scope: new Scope(), base, reached: null, literals: [] }
  const forClient: Context = { ...forRule, reached: isTrusted ? null : reached, literals: 'client' }
  const conditions: Condition[] = []
  if (rule !== '') conditions.push(buildCondition(forRule, parseFilter(rule).root))
  // A filter that can never match is only checked for errors.
  const isNever = conditions.some((one) => one.kind === 'constant' && one.value !== true)
  if (client && isNever) checkNames(forClient, client.root)
  else if (client) conditions.push(buildCondition(forClient, client.root))
  const keys = readSort(sort)
  // The first pass finds the rows that the sort joins, so that their listRules become part of the condition.
  if (keys.length > 0) buildOrder(forClient, keys, and([]))
  const sortsByOwnField = keys.length < 2 && keys.every(({ name }) => isOwnField(collection, name))
  const parts = { base, sortsByOwnField, free: client !== null || sort !== '' }
  if (isNever) return writeTemplate({ ...parts, condition: FALSE, order: [] })
  for (const [row, target] of reached) conditions.push(...listRuleOf(forRule, row, target))
  const condition = and(conditions)
  const order = candidate ? [] : buildOrder(forClient, keys, condition)
  return writeTemplate({ ...parts, condition: nestRowsInExists(condition), order })
}

const tableRow = (collection: Collection): FilterRow => ({
  kind: 'table',
  collection,
  at: null,
  nullable: collection.type === 'view',
})

const candidateRow = (collection: Collection): FilterRow => ({
  kind: 'known',
  collection,
  inTable: false,
  value:
    ({ name }) =>
    ({ candidate }) =>
      candidate[name] ?? null,
})

/** Rows that a client joins must satisfy their listRule. PocketBase: updateQueryWithCollectionListRule */
function listRuleOf(context: Context, row: JoinedRow, collection: Collection): Condition[] {
  if (!collection.listRule) return []
  const base: FilterRow = { kind: 'table', collection, at: row, nullable: true }
  const within: Context = { ...context, base, scope: context.scope.apart() }
  const rule = buildCondition(within, parseFilter(collection.listRule).root)
  return [or([leaf(sql`${columnOf(row, 'id')} IS NULL`), rule])]
}

const MAX_FILTER_BYTES = 3500

/** Even inside quotes. PocketBase: apis/record_helpers.go, checkForSuperuserOnlyRuleFields */
const FOR_SUPERUSERS = ['@collection.', '@request.']

/** Checks what no client may use. Throws an ApiError 403 or a FilterError. Contract 1.3, 2.9. */
function checkClientLimits({ filter, sort }: FilterQuery, isSuperuser: boolean): void {
  if (!isSuperuser) {
    for (const text of [filter, sort]) {
      const found = FOR_SUPERUSERS.find((name) => text.includes(name))
      if (found) throw forbidden(`Only superusers can filter by ${found}`)
    }
  }
  if (filter.length * 3 > MAX_FILTER_BYTES && Buffer.byteLength(filter) > MAX_FILTER_BYTES) {
    throw new FilterError('max filter length limit reached')
  }
}
