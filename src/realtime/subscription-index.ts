import { type Holder, type Ticket, ticketOf } from '../admission/holder.ts'
import { type Catalog, type Collection, columnName, type Rule } from '../collections/catalog.ts'
import { ApiError, RetryLater } from '../errors.ts'
import { compile, prepare } from '../filter/compile.ts'
import type { CompiledFilter, FilterQuery, Predicate } from '../filter/compiled-filter.ts'
import { FilterError } from '../filter/parse.ts'
import { catalogFor } from '../records/access.ts'
import type { RecordRow } from '../records/record-sql.ts'
import { type AuthRecord, NO_REQUEST, type RequestInfo } from '../request/request.ts'
import { memoize } from '../tools/lru.ts'
import type { Change } from './change-log.ts'
import type { Client, Topic, Viewer } from './client.ts'

/** Decides whether a record is visible. `question`: the SQL query to run if `testLocally` cannot tell. */
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
 * Returns a function that tells who may see a change (see Access), by a rule and a client's filter. If the
 * filter is invalid, nothing is visible. PocketBase: apis/realtime.go, realtimeCanAccessRecord
 */
export function accessMaker(
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
  return unlessInvalid(
    () => {
      if (dependsOnTime(`${bound} ${filter}`)) {
        const bind = prepare(catalog, question)
        return () => unlessInvalid(() => toAccess(bind()), NEVER)
      }
      const access = toAccess(compile(catalog, question))
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
  return { kind: 'if', condition, params, question: isLocal(condition) ? undefined : question }
}

function unlessInvalid<T>(work: () => T, otherwise: T): T {
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
    new Map(fields.map(({ name }, i) => [columnName(name), i])),
)

/** Evaluates a condition in this process, comparing bytes as Postgres does. Undefined if it needs SQL. */
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

export function isLocal(predicate: Predicate): boolean {
  if ('items' in predicate) return predicate.items.every(isLocal)
  if (predicate.kind !== 'comparison') return predicate.kind === 'flag'
  const { sign, value } = predicate
  return (sign === '=' || sign === '<>') && (value === '' || value.cast === 'text')
}

export const questionOf = (access: Access): CompiledFilter | undefined =>
  access.kind === 'if' ? access.question : undefined

/** Whether a change is visible by this Access. Undefined if only the database can decide. */
export function judgeHere(access: Access, { collection, judgedRow }: Change): boolean | undefined {
  if (access.kind !== 'if') return access.kind === 'always'
  return judgedRow ? testLocally(access.condition, collection, judgedRow, access.params) : false
}

export const textOf = ({ from, where }: CompiledFilter): string => `${from} ${where}`

/** Groups undecided items by the SQL of their conditions. One statement then decides a whole group. */
export const byQuestion = <T extends { readonly access: Access }>(open: readonly T[]) =>
  Map.groupBy(open, ({ access }) => textOf(questionOf(access)!)).values()

export interface Receivers {
  readonly group: SubscriptionGroup
  readonly clients: readonly Client[]
  readonly auth: AuthRecord | null
}

export interface GroupState extends Receivers {
  readonly request: RequestInfo
  /** Who is charged for the filter and expand in the topic's options. Undefined if it has no options. */
  readonly ticket: Ticket | undefined
  readonly access: Access
}

/** Matches rules that read the options of the topic. */
const READS_OPTIONS = /@request\.(?:query|headers)/i

/** Clients with the same topic that get the same events: those of one viewer, or guests. */
export class SubscriptionGroup {
  readonly topic: Topic
  readonly viewer: Viewer
  readonly holder: Holder | undefined
  readonly #clients = new Set<Client>()
  #list: readonly Client[] | undefined
  #rule: { catalog: Catalog; auth: AuthRecord | null; access: () => Access } | undefined
  #known: (Pick<GroupState, 'request' | 'ticket'> & { catalog: Catalog; access: () => Access }) | undefined

  constructor(topic: Topic, { viewer, holder }: Client) {
    this.topic = topic
    this.viewer = viewer
    this.holder = topic.name === topic.base ? undefined : holder
  }

  get receivers(): Receivers {
    this.#list ??= [...this.#clients]
    return { group: this, clients: this.#list, auth: this.viewer.auth }
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  add(client: Client): void {
    this.#clients.add(client)
    this.#list = undefined
  }

  remove(client: Client): void {
    this.#clients.delete(client)
    this.#list = undefined
  }

  #ruleFor(catalog: Catalog, collection: Collection, auth: AuthRecord | null): [Catalog, Collection, Rule] {
    const limits = auth?.limits
    const seen = catalogFor(catalog, limits)
    const its = (limits && seen.find(collection.id)) ?? collection
    // the viewRule applies to a topic with a record's ID, the listRule to others
    return [seen, its, /\/(?!\*$)/.test(this.topic.base) ? its.viewRule : its.listRule]
  }

  /** False if the rule hides the change from all filters. The client's filter then need not be compiled. */
  mayPass(catalog: Catalog, change: Change): boolean {
    const { auth } = this.viewer
    if (this.#rule?.catalog !== catalog || this.#rule.auth !== auth) {
      const [seen, its, rule] = this.#ruleFor(catalog, change.collection, auth)
      const request: RequestInfo = { ...NO_REQUEST, context: 'realtime', auth }
      const access =
        rule && READS_OPTIONS.test(rule) ? () => ALWAYS : accessMaker(seen, its, rule, '', request)
      this.#rule = { catalog, auth, access }
    }
    return judgeHere(this.#rule.access(), change) !== false
  }

  /** Compiles rule and filter, once per version of collections and viewer. Throws RetryLater at a limit. */
  state(catalog: Catalog, collection: Collection, receivers: Receivers): GroupState {
    const { auth } = receivers
    if (this.#known?.catalog !== catalog || this.#known.request.auth !== auth) {
      const { query, headers } = this.topic
      const request: RequestInfo = {
        context: 'realtime',
        method: 'GET',
        query,
        headers: () => headers,
        body: {},
        auth,
      }
      const ticket = this.holder === undefined ? undefined : ticketOf(this.holder, auth?.isSuperuser)
      const [seen, its, rule] = this.#ruleFor(catalog, collection, auth)
      const access = accessMaker(seen, its, rule, query.filter ?? '', request, ticket)
      this.#known = { catalog, request, ticket, access }
    }
    const { request, ticket, access } = this.#known
    return { ...receivers, request, ticket, access: access() }
  }
}

export function makeIndex() {
  const groups = new Map<string, Map<string, SubscriptionGroup>>()
  const groupsOf = (base: string) => [...(groups.get(base)?.values() ?? [])]
  return {
    add(client: Client, topic: Topic): void {
      const ofBase = groups.get(topic.base) ?? new Map<string, SubscriptionGroup>()
      const key = keyOf(client, topic)
      const group = ofBase.get(key) ?? new SubscriptionGroup(topic, client)
      group.add(client)
      groups.set(topic.base, ofBase.set(key, group))
    },
    /** Removes a client from a topic's group. Call it before the client's viewer changes. */
    remove(client: Client, topic: Topic): void {
      const ofBase = groups.get(topic.base)
      const key = keyOf(client, topic)
      const group = ofBase?.get(key)
      group?.remove(client)
      if (group?.isEmpty) ofBase!.delete(key)
      if (ofBase?.size === 0) groups.delete(topic.base)
    },
    clientsOf: (base: string, collection: string, account: string): readonly Client[] =>
      groupsOf(base).flatMap(({ holder, receivers: { clients, auth } }) =>
        holder === undefined && auth?.id === account && auth.collection.id === collection ? clients : [],
      ),
    has: (collection: Collection, record: string): boolean =>
      basesOf(collection, record).some((base) => groups.has(base)),
    groups: (collection: Collection, record: string): SubscriptionGroup[] =>
      basesOf(collection, record).flatMap(groupsOf),
  }
}

/** Topics, without options, that get changes of this record. PocketBase: realtimeBroadcastRecord */
const basesOf = ({ name, id }: Collection, record: string): string[] =>
  (name === id ? [name] : [name, id]).flatMap((key) => [`${key}/${record}`, `${key}/*`, key])

/** Key of a group. All guests share a topic without options. With options, guests of one network share it. */
const keyOf = ({ origin, viewer: { account, actor } }: Client, { name, base }: Topic) =>
  `${account || (name === base ? '' : origin.holder)} ${actor} ${name}`
