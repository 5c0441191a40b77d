import type { Store } from '../../engine/collections/catalog.ts'
import { requireRule } from '../../engine/records/check-rules.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { compileList, findPage, MAX_PER_PAGE } from '../../engine/records/list.ts'
import { toValues, type Values } from '../../engine/records/record-row.ts'
import { type AuthRecord, NO_REQUEST } from '../../engine/request/request.ts'

/**
 * A list's part of at most `limit` records (default: the largest page), behind the first `offset`. Filter and
 * sort are PocketBase's.
 */
interface ListPart {
  readonly filter?: string
  readonly sort: string
  readonly limit?: number
  readonly offset?: number
}

export interface ListCaller {
  readonly store: Store
  readonly auth: AuthRecord
  readonly services: { readonly extensions: Extensions }
}

/** Finds the records of a collection that its rule shows the caller, as stored, and counts them all. */
export async function findRecords(
  { store, auth, services: { extensions } }: ListCaller,
  name: string,
  { filter = '', sort, limit = MAX_PER_PAGE, offset = 0 }: ListPart,
): Promise<{ readonly total: number; readonly records: readonly Values[] }> {
  const collection = store.catalog.find(name)!
  const request = { ...NO_REQUEST, auth, query: { filter, sort } }
  const rule = requireRule(collection, 'listRule', auth)
  const page = { page: 1n, perPage: limit, offset: BigInt(offset), skipTotal: false }
  const list = compileList(store, extensions.get(collection.id), collection, rule, request, page)
  const { rows, total } = await findPage(store, list, request)
  return { total, records: rows.map((row) => toValues(collection, row)) }
}
