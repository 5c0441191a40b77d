import { admission } from '../admission/admission.ts'
import type { Ticket } from '../admission/holder.ts'
import type { Catalog, Collection } from '../collections/catalog.ts'
import { forbidden } from '../errors.ts'
import { counts } from '../metrics/counts.ts'
import { Lru } from '../tools/lru.ts'
import type { CompiledFilter, FilterQuery, Predicate } from './compiled-filter.ts'
import { and, type Condition, FALSE, leaf, or, writeCondition } from './condition.ts'
import { leftJoin, nestRowsInExists, noRowViolates } from './exists.ts'
import type { Expression, Operand } from './operand.ts'
import { compare } from './operators.ts'
import {
  type Comparison,
  FilterError,
  type Node,
  parseFilter,
  spelling,
  type Token,
  type Tree,
} from './parse.ts'
import { resolveToken, reworded } from './resolve.ts'
import { type Context, type FilterRow, type ReachedRows, subqueryContext, table } from './row.ts'
import { buildOrder, isOwnField, type OrderKey, readSort } from './sort.ts'
import {
  columnOf,
  type Input,
  isKind,
  type JoinedRow,
  joinSql,
  onlyColumn,
  type Param,
  rowsIn,
  Scope,
  SELECT,
  type Sql,
  sql,
  Writer,
  withAncestors,
} from './sql.ts'

const NO_CANDIDATE = {}

/** A client's filter and sort up to this many characters are cached: 1,000 take some 100 kB there. */
const MAX_CLIENT_LENGTH = 1000
const MAX_TEMPLATES = 1_000
const templates = new Lru<string, Template>(MAX_TEMPLATES)

export const planCount = () => templates.size

/** Compiles rule, filter and sort to SQL. Throws FilterError, 403 for a forbidden name, 429 over a limit. */
export function compile(catalog: Catalog, question: FilterQuery): CompiledFilter {
  const client = question.filter || question.sort ? parseClient(question) : null
  return bindTemplate(templateOf(catalog, question, client), question, client)
}

/** Compiles a filter that depends on the time. Each call of the returned function uses the current time. */
export function prepare(catalog: Catalog, question: FilterQuery): () => CompiledFilter {
  const client = parseClient(question)
  const template = templateOf(catalog, question, client)
  return () => bindTemplate(template, question, client)
}

/** The SQL of a filter, cached without literals. For superusers, it does not test listRules. */
function templateOf(catalog: Catalog, question: FilterQuery, client: Tree | null): Template {
  const { collection, rule, sort, request, ticket, candidate } = question
  const { auth } = request
  // in realtime, a superuser's filter has the rights of an ordinary client, as in PocketBase
  const isTrusted = auth?.isSuperuser === true && request.context !== 'realtime'
  const shape = client?.shape ?? ''
  const mode = `${isTrusted ? 's' : ''}${candidate ? 'c' : ''}`
  const key = [catalog.version, collection.id, auth?.collection.id, mode, rule, shape, sort].join('\0')
  const known = templates.get(key)
  counts.filter[known ? 'hit' : 'miss']++
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
  const base: FilterRow = {
    ...{ collection, at: null, nullable: !candidate && collection.type === 'view' },
    ...(candidate && { values: (input: Input) => input.candidate, isNew: true }),
  }
  const auth = request.auth ? catalog.find(request.auth.collection.id) : undefined
  const forRule: Context = { catalog, auth, scope: new Scope(), base, reached: null, isClient: false }
  const forClient: Context = { ...forRule, reached: isTrusted ? null : reached, isClient: true }
  const conditions: Condition[] = []
  if (rule !== '') conditions.push(buildCondition(forRule, parseFilter(rule).root))
  if (client) conditions.push(buildCondition(forClient, client.root))
  const keys = readSort(sort)
  // this call only finds the rows that the sort joins: their listRules are added below
  if (keys.length > 0) buildOrder(forClient, keys, and([]))
  const sortsByOwnField = keys.length < 2 && keys.every(({ name }) => isOwnField(collection, name))
  for (const [row, target] of reached) conditions.push(...listRuleOf(forRule, row, target))
  const condition = and(conditions)
  const order = candidate || condition === FALSE ? [] : buildOrder(forClient, keys, condition)
  const free = client !== null || sort !== ''
  return writeTemplate(base, nestRowsInExists(condition), order, sortsByOwnField, free)
}

/** The condition that a joined row satisfies its listRule. PocketBase: updateQueryWithCollectionListRule */
function listRuleOf(context: Context, row: JoinedRow, collection: Collection): Condition[] {
  if (!collection.listRule) return []
  const base: FilterRow = { collection, at: row, nullable: true }
  const within: Context = { ...context, base, scope: context.scope.apart() }
  const rule = buildCondition(within, parseFilter(collection.listRule).root)
  return [or([leaf(sql`${columnOf(row, 'id')} IS NULL`), rule])]
}

const MAX_FILTER_BYTES = 3500

function parseClient({ filter, sort, request, ticket }: FilterQuery): Tree | null {
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

/**
 * This many characters of a filter do not count against a client's limit: parsing them takes no longer than
 * the rest of a request.
 */
const FREE_READING = 500
const READING_SHARE = 0.5

/** Counts a filter of this length against the client's limit for compiling. Throws RetryLater (429). */
function spendShape(ticket: Ticket | undefined, length: number): void {
  if (ticket && !ticket.isSuperuser && length > 0) admission.filterShapes.take(ticket.holder, length)
}

/** Counts parsing a filter, valid or not, against the client's limit. Throws RetryLater (429). */
export function spendReading(ticket: Ticket | undefined, length: number): void {
  spendShape(ticket, Math.max(0, length - FREE_READING) * READING_SHARE)
}

/** Turns a filter into a condition on its context's rows. Throws a FilterError with PocketBase's message. */
function buildCondition(context: Context, node: Node): Condition {
  if (node.kind === 'comparison') return buildComparison(context, node)
  const items = node.items.map((item) => buildCondition(context, item))
  return node.kind === 'and' ? and(items) : or(items)
}

function buildComparison(context: Context, comparison: Comparison): Condition {
  const left = resolveSide(context, comparison.left, 'left')
  const right = resolveSide(context, comparison.right, 'right')
  const one = compare(comparison.sign, left, right)
  const all = comparison.any ? [] : allMatch(context, comparison, left, right)
  const guards = [left, right].flatMap(({ guard }) => (guard ? [leaf(guard)] : []))
  return and([one, ...all, ...guards])
}

const resolveSide = (context: Context, token: Token, side: 'left' | 'right'): Operand =>
  reworded(
    () => resolveToken(context, token),
    (cause) => `invalid ${side} operand ${JSON.stringify(spelling(token))} - ${cause}`,
  )

/** For operators without `?`: requires that no row of a path makes the comparison false. Contract 2.5. */
function allMatch(context: Context, comparison: Comparison, left: Operand, right: Operand): Condition[] {
  if (!left.all && !right.all) return []
  const within = subqueryContext(context)
  const a = left.all ? walked(resolveToken(within, comparison.left)) : plain(left)
  const apart = left.all && right.all ? { ...within, scope: within.scope.sibling() } : within
  const b = right.all ? walked(resolveToken(apart, comparison.right)) : plain(right)
  return [noRowViolates(compare(comparison.sign, a, b), within.scope.rows)]
}

function walked(operand: Operand): Operand {
  const { isEmpty: _, asPattern: __, ...column } = operand as Expression
  return column
}

const plain = (operand: Operand): Operand => ({ ...operand, fallback: 'auto' })

interface Template {
  readonly compiled: Omit<CompiledFilter, 'params'>
  readonly params: readonly Param[]
}

function writeTemplate(
  base: FilterRow,
  condition: Condition,
  order: readonly OrderKey[],
  sortsByOwnField: boolean,
  free: boolean,
): Template {
  const never = condition.kind === 'constant' && condition.value !== true
  const test = condition.kind === 'constant' ? [] : writeCondition(condition)
  const keys = order.map(({ sql }) => sql)
  const orderSql = joinSql(keys, ', ')
  const joined = [...new Set(rowsIn([...test, ...orderSql]).flatMap(withAncestors))].sort(byAlias)
  const first = base.values ? ['(SELECT 1) b'] : [...table(base.collection), ' b']
  const source = [...first, ...joined.flatMap(leftJoin)]
  const writer = new Writer()
  const from = writer.write(source)
  const where = writer.write(never ? ['false'] : test)
  const orderBy = writer.write(orderSql).text
  const structure = {
    condition: predicateOf(condition, writer),
    columns: namesIn(test, (one) => isKind(one, 'column') && one.row === null),
    sortKeys: order.map(({ column }) => column),
    sortsByOwnField,
    readsOneTable: base.collection.type !== 'view' && joined.length === 0 && !test.includes(SELECT),
    tables: namesIn([...source, ...test], (one) => isKind(one, 'table')),
    from,
    joins: from.text.slice(writer.write(first).text.length),
    where,
  }
  return {
    compiled: { from: from.text, where: where.text, orderBy, never, free, structure },
    params: writer.params,
  }
}

function namesIn(part: Sql, isWanted: (one: Sql[number]) => boolean): string[] {
  const names = new Set<string>()
  for (const one of part) if (typeof one === 'object' && 'name' in one && isWanted(one)) names.add(one.name)
  return [...names]
}

const byAlias = (a: JoinedRow, b: JoinedRow) => Number(a.alias.slice(1)) - Number(b.alias.slice(1))

const OPAQUE: Predicate = { kind: 'opaque' }

function predicateOf(condition: Condition, writer: Writer): Predicate {
  if (condition.kind === 'constant') return { kind: condition.value ? 'and' : 'or', items: [] }
  if (condition.kind !== 'leaf')
    return { kind: condition.kind, items: condition.items.map((item) => predicateOf(item, writer)) }
  const { row, name } = onlyColumn(condition.sql) ?? {}
  if (row === null) return { kind: 'flag', column: name! }
  const { test } = condition
  if (!test || test.column.row) return OPAQUE
  const { sign, value, column } = test
  const place = value === '' ? value : { index: writer.index(value), cast: value.cast }
  return { kind: 'comparison', column: column.name, sign, value: place }
}
