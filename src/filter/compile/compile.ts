import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { forbidden } from '../../errors.ts'
import { counts } from '../../metrics/counts.ts'
import type { AuthRecord } from '../../request/request.ts'
import { Lru } from '../../tools/lru.ts'
import { FilterError } from '../errors.ts'
import { parseFilter } from '../parse/parse.ts'
import type { Tree } from '../parse/tree.ts'
import type { Context, ReachedRows } from '../resolve/context.ts'
import { nestRowsInExists } from '../resolve/exists.ts'
import type { FilterRow } from '../resolve/row.ts'
import { and, type Condition, FALSE, leaf, or } from '../sql/condition.ts'
import { Facts, type Probe } from '../sql/facts.ts'
import type { Input } from '../sql/input.ts'
import { Scope } from '../sql/joined.ts'
import { columnOf, type JoinedRow, sql } from '../sql/sql.ts'
import { buildCondition, checkNames } from './build.ts'
import type { CompiledFilter } from './compiled-filter.ts'
import type { FilterQuery } from './filter-query.ts'
import { spendReading, spendShape } from './shape-budget.ts'
import { buildOrder, isOwnField, readSort } from './sort.ts'
import { type Template, writeTemplate } from './write-template.ts'

const NO_CANDIDATE = {}

const MAX_PLANS = 1_000
/** Longer filters are compiled each time: 1 kB of filter keeps some 100 kB here. */
const MAX_CLIENT_LENGTH = 1000
/** Templates per plan. More come only from values that hardly repeat. */
const MAX_TEMPLATES = 64

interface Node {
  question?: Probe
  readonly answers: Map<unknown, Node>
  template?: Template
}

/** Compilations of one rule, filter and sort: a tree of questions about the request, with templates. */
class Plan {
  /** Nothing but the caller's record has been asked for so far. */
  isOfCaller = true
  #root: Node = { answers: new Map() }
  #count = 0

  /** The template for a request. `make` compiles a missing one and may throw. */
  find(input: Input, make: (facts: Facts) => Template): Template {
    let node: Node | undefined = this.#root
    while (node?.question) node = node.answers.get(node.question(input))
    if (node?.template) {
      counts.filter.hits++
      return node.template
    }
    counts.filter.misses++
    return this.#keep(input, make)
  }

  #keep(input: Input, make: (facts: Facts) => Template): Template {
    const facts = new Facts(input)
    const template = make(facts)
    if (this.#count++ >= MAX_TEMPLATES) this.#clear()
    let node = this.#root
    for (const [question, answer] of facts.asked) {
      node.question ??= question
      let next = node.answers.get(answer)
      if (!next) {
        next = { answers: new Map() }
        node.answers.set(answer, next)
      }
      node = next
    }
    node.template = template
    facts.close()
    return template
  }

  #clear(): void {
    this.#root = { answers: new Map() }
    this.#count = 1
  }
}

const plans = new Lru<string, Plan>(MAX_PLANS)

/** Questions per caller that are kept with their parameters: those that depend on the caller alone. */
const MAX_OF_CALLER = 16
const ofCallers = new WeakMap<AuthRecord, Map<string, CompiledFilter>>()

export const planCount = () => plans.size

/** The plan for a cache key. `clientLength`: how many of its characters come from the client. */
function planOf(key: string, clientLength: number): Plan {
  return plans.get(key) ?? (clientLength > MAX_CLIENT_LENGTH ? new Plan() : plans.set(key, new Plan()))
}

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
  const { auth } = question.request
  const known = auth && ofCallers.get(auth)?.get(key)
  if (known) {
    counts.filter.hits++
    return known
  }
  const plan = planOf(key, shapeLength(question, parsed.client))
  const compiled = fill(catalog, question, parsed, plan)
  if (auth && plan.isOfCaller) {
    const kept = ofCallers.get(auth) ?? new Map<string, CompiledFilter>()
    if (kept.size >= MAX_OF_CALLER) kept.clear()
    ofCallers.set(auth, kept.set(key, compiled))
  }
  return compiled
}

/** Compiles a filter that depends on the time: each call of the returned function binds the present time. */
export function prepare(catalog: Catalog, question: FilterQuery): () => CompiledFilter {
  const parsed = parse(question)
  const plan = new Plan()
  plan.isOfCaller = false
  return () => fill(catalog, question, parsed, plan)
}

/** The client's share of a shape, in characters. */
const shapeLength = ({ sort }: FilterQuery, client: Tree | null): number =>
  (client?.shape.length ?? 0) + sort.length

function parse(question: FilterQuery) {
  const { filter, request, ticket } = question
  const isSuperuser = request.auth?.isSuperuser ?? false
  checkClientLimits(question, isSuperuser)
  // In realtime a superuser's filter has a client's rights, as in PocketBase.
  const isTrusted = isSuperuser && request.context !== 'realtime'
  if (filter === '') return { client: null, isTrusted }
  const client = parseFilter(filter, () => spendReading(ticket, filter.length))
  return { client, isTrusted }
}

type Parsed = ReturnType<typeof parse>
function fill(catalog: Catalog, question: FilterQuery, { client, isTrusted }: Parsed, plan: Plan) {
  const { request, candidate = NO_CANDIDATE } = question
  const asked = { request, literals: client?.literals ?? [], candidate, now: new Date() }
  const input = plan.isOfCaller && request.auth ? watch(asked, () => (plan.isOfCaller = false)) : asked
  const template = plan.find(input, (facts) => {
    spendShape(question.ticket, shapeLength(question, client))
    return makeTemplate(catalog, question, client, isTrusted, facts)
  })
  if (client || template.related) plan.isOfCaller = false
  return bindTemplate(template, input)
}

/** Calls `asksMore` when anything but the caller's record is read. */
function watch(input: Input, asksMore: () => void): Input {
  const only = <T extends object>(target: T, allowed: keyof T): T =>
    new Proxy(target, {
      get(_, name) {
        if (name !== allowed) asksMore()
        return Reflect.get(target, name)
      },
    })
  return only({ ...input, request: only(input.request, 'auth') }, 'request')
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
  if (filter.length * 3 > MAX_FILTER_BYTES && Buffer.byteLength(filter) > MAX_FILTER_BYTES)
    throw new FilterError('max filter length limit reached')
}
