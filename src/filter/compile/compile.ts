import { admission } from '../../admission/admission.ts'
import type { Ticket } from '../../admission/ticket.ts'
import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { forbidden } from '../../errors.ts'
import { counts } from '../../metrics/counts.ts'
import { Lru } from '../../tools/lru.ts'
import { FilterError } from '../errors.ts'
import { parseFilter } from '../parse/parse.ts'
import type { Tree } from '../parse/tree.ts'
import type { Context, ReachedRows } from '../resolve/context.ts'
import { nestRowsInExists } from '../resolve/exists.ts'
import type { FilterRow } from '../resolve/row.ts'
import { and, type Condition, FALSE, leaf, or } from '../sql/condition.ts'
import { Scope } from '../sql/joined.ts'
import type { Input } from '../sql/scalar.ts'
import { columnOf, type JoinedRow, sql } from '../sql/sql.ts'
import { buildCondition } from './build.ts'
import type { CompiledFilter, FilterQuery } from './compiled-filter.ts'
import { buildOrder, isOwnField, readSort } from './sort.ts'
import { type Template, writeTemplate } from './write-template.ts'

const NO_CANDIDATE = {}

/** Longer filters are not cached: a filter of 1 kB takes some 100 kB in the cache. */
const MAX_CLIENT_LENGTH = 1000
const MAX_TEMPLATES = 1_000
const templates = new Lru<string, Template>(MAX_TEMPLATES)

export const planCount = () => templates.size

/**
 * Compiles a rule, a client's filter and sort to SQL. Results are cached: a known shape costs microseconds.
 * Throws FilterError for invalid input, ApiError 403 where a client uses superuser-only names, 429 after too
 * many new shapes of one client.
 */
export function compile(catalog: Catalog, question: FilterQuery): CompiledFilter {
  const client = parseClient(question)
  return bindTemplate(templateOf(catalog, question, client), question, client)
}

/** Compiles a filter that depends on the time. Each call of the returned function uses the current time. */
export function prepare(catalog: Catalog, question: FilterQuery): () => CompiledFilter {
  const client = parseClient(question)
  const template = templateOf(catalog, question, client)
  return () => bindTemplate(template, question, client)
}

/** SQL depends on the request only by the collection of the caller's record. */
function templateOf(catalog: Catalog, question: FilterQuery, client: Tree | null): Template {
  const { collection, rule, sort, request, ticket, candidate } = question
  const { auth } = request
  // In realtime a superuser's filter has a client's rights, as in PocketBase.
  const isTrusted = auth?.isSuperuser === true && request.context !== 'realtime'
  const shape = client?.shape ?? ''
  const mode = `${isTrusted ? 's' : ''}${candidate ? 'c' : ''}`
  const key = [catalog.version, collection.id, auth?.collection.id, mode, rule, shape, sort].join('\0')
  const known = templates.get(key)
  counts.filter[known ? 'hits' : 'misses']++
  if (known) return known
  const length = (client?.shape.length ?? 0) + sort.length
  spendShape(ticket, length)
  const template = makeTemplate(catalog, question, client, isTrusted)
  return length > MAX_CLIENT_LENGTH ? template : templates.set(key, template)
}

function bindTemplate(
  { compiled, params }: Template,
  { request, candidate = NO_CANDIDATE }: FilterQuery,
  client: Tree | null,
): CompiledFilter {
  const input: Input = { request, candidate, literals: client?.literals ?? [], now: new Date() }
  return { ...compiled, params: params.map((param) => param.bind(input)) }
}

function makeTemplate(
  catalog: Catalog,
  { collection, rule, sort, candidate, request }: FilterQuery,
  client: Tree | null,
  isTrusted: boolean,
): Template {
  const reached: ReachedRows = new Map()
  const base = candidate ? newRow(collection) : tableRow(collection)
  const auth = request.auth ? catalog.find(request.auth.collection.id) : undefined
  const forRule: Context = { catalog, auth, scope: new Scope(), base, reached: null, isClient: false }
  const forClient: Context = { ...forRule, reached: isTrusted ? null : reached, isClient: true }
  const conditions: Condition[] = []
  if (rule !== '') conditions.push(buildCondition(forRule, parseFilter(rule).root))
  if (client) conditions.push(buildCondition(forClient, client.root))
  const keys = readSort(sort)
  // The first pass finds the rows that the sort joins, so that their listRules become part of the condition.
  if (keys.length > 0) buildOrder(forClient, keys, and([]))
  const sortsByOwnField = keys.length < 2 && keys.every(({ name }) => isOwnField(collection, name))
  const parts = { base, sortsByOwnField, free: client !== null || sort !== '' }
  for (const [row, target] of reached) conditions.push(...listRuleOf(forRule, row, target))
  const condition = and(conditions)
  const order = candidate || condition === FALSE ? [] : buildOrder(forClient, keys, condition)
  return writeTemplate({ ...parts, condition: nestRowsInExists(condition), order })
}

const tableRow = (collection: Collection): FilterRow => ({
  collection,
  at: null,
  nullable: collection.type === 'view',
})

const newRow = (collection: Collection): FilterRow => ({
  collection,
  at: null,
  nullable: false,
  values: ({ candidate }) => candidate,
  isNew: true,
})

/** Rows that a client joins must satisfy their listRule. PocketBase: updateQueryWithCollectionListRule */
function listRuleOf(context: Context, row: JoinedRow, collection: Collection): Condition[] {
  if (!collection.listRule) return []
  const base: FilterRow = { collection, at: row, nullable: true }
  const within: Context = { ...context, base, scope: context.scope.apart() }
  const rule = buildCondition(within, parseFilter(collection.listRule).root)
  return [or([leaf(sql`${columnOf(row, 'id')} IS NULL`), rule])]
}

const MAX_FILTER_BYTES = 3500

/** Reads a client's filter. Throws an ApiError 403 or a FilterError. Contract 1.3, 2.9. */
function parseClient({ filter, sort, request, ticket }: FilterQuery): Tree | null {
  if (filter === '' && sort === '') return null
  const found = request.auth?.isSuperuser ? undefined : (superuserName(filter) ?? superuserName(sort))
  if (found) throw forbidden(`Only superusers can filter by ${found}`)
  if (filter.length * 3 > MAX_FILTER_BYTES && Buffer.byteLength(filter) > MAX_FILTER_BYTES)
    throw new FilterError('max filter length limit reached')
  return filter === '' ? null : parseFilter(filter, () => spendReading(ticket, filter.length))
}

/** A superuser-only name in a filter, even inside quotes. PocketBase: checkForSuperuserOnlyRuleFields */
function superuserName(text: string): string | undefined {
  if (text.includes('@collection.')) return '@collection.'
  return text.includes('@request.') ? '@request.' : undefined
}

/** Reading a filter up to this length costs no more than the rest of the request. */
const FREE_READING = 500
/** Cost of reading a character, relative to compiling it. */
const READING_SHARE = 0.5

/** Charges a client's new filter and sort by length. Throws RetryLater (429). */
export function spendShape(ticket: Ticket | undefined, length: number): void {
  if (ticket && !ticket.isSuperuser && length > 0) admission.filterShapes.take(ticket.holder, length)
}

/** Charges for parsing a filter, valid or not. Throws RetryLater (429). */
export function spendReading(ticket: Ticket | undefined, length: number): void {
  spendShape(ticket, Math.max(0, length - FREE_READING) * READING_SHARE)
}
