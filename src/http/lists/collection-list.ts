import type { Store } from '../../collections/catalog.ts'
import { collectionJson } from '../../collections/definition/serialise.ts'
import { listFault } from '../../db/errors.ts'
import { readPage } from '../../records/read/list.ts'
import { pickFields } from '../../records/render/pick.ts'
import type { RequestInfo } from '../../request/request.ts'
import { compilePlain, plainList } from './plain-list.ts'

/** Fields to filter and sort collections by: the columns of this view. */
const LISTED = plainList('_collections_listed', [
  ['id', 'text'],
  ['name', 'text'],
  ['type', 'text'],
  ['created', 'date'],
  ['updated', 'date'],
  ['system', 'bool'],
])

/** A page of collections as JSON, oldest first. Throws 400. PocketBase: apis/collection.go */
export async function listCollections(store: Store, request: RequestInfo): Promise<string> {
  const { from, where, orderBy, params, never } = compilePlain(LISTED, store.db, request)
  const { page, perPage, offset, skipTotal } = readPage(request.query)
  const condition = never ? ' where false' : where && ` where ${where}`
  const text = `select b.id from ${from}${condition} order by ${orderBy || 'b._rowid'}`
  try {
    const { rows } = await store.db.shaped(text, params)
    const ids = rows.slice(Number(offset), Number(offset) + perPage).map(([id]) => String(id))
    const items = ids.flatMap((id) => store.catalog.find(id) ?? []).map(collectionJson)
    const total = skipTotal ? -1 : rows.length
    const pages = skipTotal ? -1 : Math.ceil(total / perPage)
    const list = `{"items":[${items.join(',')}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
    return request.query.fields ? pickFields(list, request.query.fields, 'items') : list
  } catch (error) {
    throw listFault(error)
  }
}
