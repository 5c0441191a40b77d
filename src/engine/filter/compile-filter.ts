import { forbidden } from '../../platform/api-errors.ts'
import type { Ticket } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { Lru } from '../../platform/tools/lru.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import type { Catalog } from '../collections/catalog.ts'
import type { CompiledFilter, FilterQuery } from './compiled-filter.ts'
import { bindParameter, type Input } from './known-value.ts'
import { FilterError, parseFilter, type Tree } from './parse-filter.ts'
import { makeTemplate, type Template } from './template.ts'

const NO_CANDIDATE = {}

/** A client's filter and sort up to this many characters are cached: 1,000 take some 100 kB there. */
const MAX_CLIENT_LENGTH = 1000
const MAX_TEMPLATES = 1_000
const templates = new Lru<string, Template>(MAX_TEMPLATES)

export const countCachedFilters = () => templates.size

/** Compiles rule, filter and sort to SQL. Throws FilterError, 403 for a forbidden name, 429 over a limit. */
export function compileFilter(catalog: Catalog, question: FilterQuery): CompiledFilter {
  const client = question.filter || question.sort ? parseClient(question) : null
  return bindTemplateParams(findOrBuildTemplate(catalog, question, client), question, client)
}

/** Compiles a filter that depends on the time. Each call of the returned function uses the current time. */
export function prepareFilter(catalog: Catalog, question: FilterQuery): () => CompiledFilter {
  const client = parseClient(question)
  const template = findOrBuildTemplate(catalog, question, client)
  return () => bindTemplateParams(template, question, client)
}

/** The SQL of a filter, cached without literals. For superusers, it does not test list rules. */
function findOrBuildTemplate(
  catalog: Catalog,
  question: FilterQuery,
  client: Tree | null,
): Template {
  const { collection, rule, sort, collation, request, ticket, candidate } = question
  const { auth } = request
  // in realtime, a superuser's filter has the rights of an ordinary client, as in PocketBase
  const isTrusted = auth?.isSuperuser === true && request.context !== 'realtime'
  const shape = client?.shape ?? ''
  const mode = `${isTrusted ? 's' : ''}${candidate ? 'c' : ''}`
  const key = [
    catalog.version,
    collection.id,
    auth?.collection.id,
    mode,
    rule,
    shape,
    sort,
    collation,
  ].join('\0')
  const known = templates.get(key)
  counts.filter[known ? 'hit' : 'miss']++
  if (known) return known
  const length = (client?.shape.length ?? 0) + sort.length
  spendFilterShape(ticket, length)
  const template = makeTemplate(catalog, question, client, isTrusted)
  return length > MAX_CLIENT_LENGTH ? template : templates.set(key, template)
}

export function bindTemplateParams(
  { compiled, params }: Template,
  { request, candidate = NO_CANDIDATE }: FilterQuery,
  client: Tree | null,
): CompiledFilter {
  const input: Input = { request, candidate, literals: client?.literals ?? [], now: new Date() }
  return { ...compiled, params: params.map(({ value }) => bindParameter(value, input)) }
}

const MAX_FILTER_BYTES = 3500

function parseClient({ filter, sort, request, ticket }: FilterQuery): Tree | null {
  const found = request.auth?.isSuperuser
    ? undefined
    : (findSuperuserName(filter) ?? findSuperuserName(sort))
  if (found) throw forbidden(`Only superusers can filter by ${found}`)
  if (filter.length * 3 > MAX_FILTER_BYTES && Buffer.byteLength(filter) > MAX_FILTER_BYTES)
    throw new FilterError('max filter length limit reached')
  return filter === '' ? null : parseFilter(filter, () => spendRuleReading(ticket, filter.length))
}

/** A superuser-only name in a filter, even inside quotes. PocketBase: checkForSuperuserOnlyRuleFields */
function findSuperuserName(text: string): string | undefined {
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
function spendFilterShape(ticket: Ticket | undefined, length: number): void {
  if (ticket && !ticket.isSuperuser && length > 0)
    admission.filterShapes.take(ticket.holder, length)
}

/** Counts parsing a filter, valid or not, against the client's limit. Throws RetryLater (429). */
export function spendRuleReading(ticket: Ticket | undefined, length: number): void {
  spendFilterShape(ticket, Math.max(0, length - FREE_READING) * READING_SHARE)
}
