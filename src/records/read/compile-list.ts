import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { listFault } from '../../db/errors.ts'
import { badRequest } from '../../errors.ts'
import { compile } from '../../filter/compile/compile.ts'
import type { CompiledFilter, QueryStructure } from '../../filter/compile/compiled-filter.ts'
import type { FilterQuery } from '../../filter/compile/filter-query.ts'
import { MAX_RELATED } from '../../filter/compile/write-template.ts'
import { FilterError } from '../../filter/errors.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { memoize } from '../../tools/memoize.ts'
import type { Extension } from '../extension.ts'
import { type RowStatement, rowSizeOf } from '../read-rows.ts'
import { listStatement, NEAR, type Page, pageValues, planList, USUAL_SIZES } from './list-statement.ts'

/** A page whose rows cannot have more bytes than this is read without counting them. */
const UNGUARDED_BYTES = 8 << 20
/** The same where all fields are short: rows are hardly ever as large as all their limits together. */
const UNGUARDED_SHORT_BYTES = 48 << 20

/** A list that is ready to be read. */
export interface ListQuery {
  readonly collection: Collection
  readonly page: Page
  /** Undefined if nothing can match. */
  readonly statement: RowStatement | undefined
}

/** Compiles a rule and the `filter`, `sort` and page of a query to one statement. Throws 400, 403, 429. */
export async function compileList(
  store: Store,
  extension: Extension | undefined,
  collection: Collection,
  rule: string,
  request: RequestInfo,
): Promise<ListQuery> {
  const { filter = '', sort = '' } = request.query
  const asked = compileFilter(store, { collection, rule, filter, sort, request, ticket: store.db.ticket })
  const compiled = await relatedFirst(store, asked)
  const page = readPage(request.query, extension?.maxPerPage)
  if (compiled.never) return { collection, page, statement: undefined }
  const shape = shapeOf(compiled, page, request.auth, () => {
    const plan = planList(collection, compiled, page, extension, filter !== '')
    const { max, hasLarge } = rowSizeOf(collection)
    return {
      collection,
      text: listStatement(collection, compiled, page, request.auth, plan),
      extra: 2,
      plannedOnce: plan.isPlannedOnce ? (filter ? 'free' : 'ruled') : undefined,
      way: plan.isShort ? 'firstRows' : 'shaped',
      isGuarded: page.perPage * max > (hasLarge ? UNGUARDED_BYTES : UNGUARDED_SHORT_BYTES),
    }
  })
  const params = [...compiled.params, ...pageValues(page, request.auth)]
  return { collection, page, statement: { ...shape, params } }
}

/** A statement without its values. */
type Shape = Omit<RowStatement, 'params'>

const shapesOf = memoize((_: QueryStructure) => new Map<string, Shape>())

/** The statement of a compiled filter: kept for the usual sizes, so that few are kept. */
function shapeOf(
  { structure }: CompiledFilter,
  { perPage, offset, skipTotal }: Page,
  auth: AuthRecord | null,
  write: () => Shape,
): Shape {
  if (!USUAL_SIZES.has(perPage)) return write()
  const place = offset === 0n ? 'first' : offset > NEAR ? 'far' : 'near'
  const key = `${perPage} ${place} ${skipTotal} ${auth?.collection.id}`
  const shapes = shapesOf(structure)
  const shape = shapes.get(key) ?? write()
  shapes.set(key, shape)
  return shape
}

function compileFilter(store: Store, question: FilterQuery): CompiledFilter {
  try {
    return compile(store.catalog, question)
  } catch (error) {
    throw error instanceof FilterError ? badRequest() : error
  }
}

/** Finds the records that a relation has to name, if they are few: the list is then one of a single table. */
async function relatedFirst({ db }: Store, compiled: CompiledFilter): Promise<CompiledFilter> {
  const question = compiled.relatedFirst
  if (!question || compiled.never) return compiled
  try {
    const { rows } = await db.shaped(question.text, question.params)
    return rows.length > MAX_RELATED ? compiled : question.withIds(rows.map(([id]) => String(id)))
  } catch (error) {
    throw listFault(error)
  }
}

const DEFAULT_PER_PAGE = 30n
/** PocketBase's largest page. */
export const MAX_PER_PAGE = 1000

const INTEGER = /^[-+]?\d+$/
const BOOLS = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
])

/**
 * Reads `page`, `perPage` and `skipTotal`. What is too small becomes the default, what is too large
 * `maxPerPage`. Throws 400 for what is no integer or Go bool. PocketBase: tools/search/provider.go, contract
 * 3.1
 */
export function readPage(query: Readonly<Record<string, string>>, maxPerPage = MAX_PER_PAGE): Page {
  const skipTotal = query.skipTotal ? BOOLS.get(query.skipTotal) : false
  if (skipTotal === undefined) throw badRequest()
  const page = readInteger(query.page, 1n)
  const asked = readInteger(query.perPage, DEFAULT_PER_PAGE)
  const perPage = asked > maxPerPage ? maxPerPage : Number(asked)
  const offset = BigInt.asIntN(64, BigInt(perPage) * (page - 1n))
  return { page, perPage, offset: offset > 0n ? offset : 0n, skipTotal }
}

/** Go's 64 bit integers; `otherwise` for less than 1. */
function readInteger(text = '', otherwise: bigint): bigint {
  if (text === '') return otherwise
  if (!INTEGER.test(text)) throw badRequest()
  const value = BigInt(text.replace('+', ''))
  if (BigInt.asIntN(64, value) !== value) throw badRequest()
  return value > 0n ? value : otherwise
}
