import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { listFault } from '../../db/errors.ts'
import { badRequest } from '../../errors.ts'
import { compile } from '../../filter/compile/compile.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { FilterQuery } from '../../filter/compile/filter-query.ts'
import { MAX_RELATED } from '../../filter/compile/write-template.ts'
import { FilterError } from '../../filter/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Extension } from '../extension.ts'
import type { RowStatement } from '../read-rows.ts'
import { rowSizeOf } from '../row-size.ts'
import { listStatement } from './list-statement.ts'
import { type Page, readPage } from './page.ts'
import { planList } from './query-plan.ts'

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
  const plan = planList(collection, compiled, page, extension, filter !== '')
  const { max, hasLarge } = rowSizeOf(collection)
  const statement: RowStatement = {
    collection,
    ...listStatement(collection, compiled, page, request.auth, plan),
    extra: 2,
    plannedOnce: plan.isPlannedOnce ? (filter ? 'free' : 'ruled') : undefined,
    way: plan.isLookUp ? 'lookUp' : 'shaped',
    isGuarded: page.perPage * max > (hasLarge ? UNGUARDED_BYTES : UNGUARDED_SHORT_BYTES),
  }
  return { collection, page, statement }
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
