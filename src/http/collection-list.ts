import { Catalog, type Store } from '../collections/catalog.ts'
import type { BaseCollection } from '../collections/collection.ts'
import { readField } from '../collections/field-shapes.ts'
import { readNew } from '../collections/read.ts'
import { collectionJson } from '../collections/serialise.ts'
import { isSqlError } from '../db/errors.ts'
import { badRequest } from '../errors.ts'
import { type Compiled, compile } from '../filter/compile.ts'
import { FilterError } from '../filter/errors.ts'
import { parseFilter } from '../filter/parse.ts'
import type { RequestInfo } from '../filter/request.ts'
import type { Node, Token } from '../filter/tree.ts'
import { readPage } from '../records/page.ts'
import { pickFields } from '../records/pick.ts'

/** What collections can be filtered and sorted by: the columns of the view of this name (sql/0005). */
const LISTED = {
  ...readNew({ name: '_collections_listed' }),
  id: '_collections_listed',
  fields: [
    ...['id', 'name', 'type'].map((name) => readField({ name, type: 'text' })),
    ...['created', 'updated'].map((name) => readField({ name, type: 'date' })),
    readField({ name: 'system', type: 'bool' }),
  ],
} as BaseCollection
/** Collections are asked for by themselves alone: no other one, no request. */
const ALONE = new Catalog([LISTED])
const NAMES = new Set(LISTED.fields.map(({ name }) => name))

const isKnown = (token: Token): boolean => {
  if (token.kind === 'function') return token.args.every(isKnown)
  if (token.kind !== 'identifier') return true
  return NAMES.has(token.text) || !/[.:]/.test(token.text)
}
const isPlain = (node: Node): boolean =>
  node.kind === 'comparison' ? isKnown(node.left) && isKnown(node.right) : node.items.every(isPlain)

function compileList(request: RequestInfo): Compiled {
  const { filter = '', sort = '' } = request.query
  try {
    if (filter && !isPlain(parseFilter(filter).root)) throw badRequest()
    return compile(ALONE, { collection: LISTED, rule: '', filter, sort, request })
  } catch (error) {
    throw error instanceof FilterError ? badRequest() : error
  }
}

/**
 * A page of the collections as JSON text, by the query's `page`, `perPage`, `skipTotal`, `sort`, `filter` and `fields`; without
 * a sort in the order of creation. Throws 400 for anything wrong in the query. PocketBase: apis/collection.go
 */
export async function listCollections(store: Store, request: RequestInfo): Promise<string> {
  const { from, where, orderBy, params, never } = compileList(request)
  const { page, perPage, offset, skipTotal } = readPage(request.query)
  const condition = never ? ' where false' : where && ` where ${where}`
  const text = `select b.id from ${from}${condition} order by ${orderBy || 'b._rowid'}`
  try {
    const { rows } = await store.db.query(text, params)
    const ids = rows.slice(Number(offset), Number(offset) + perPage).map(([id]) => String(id))
    const items = ids.flatMap((id) => store.catalog.find(id) ?? []).map(collectionJson)
    const total = skipTotal ? -1 : rows.length
    const pages = skipTotal ? -1 : Math.ceil(total / perPage)
    const list = `{"items":[${items.join(',')}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
    return request.query.fields ? pickFields(list, request.query.fields, 'items') : list
  } catch (error) {
    throw isSqlError(error) ? badRequest() : error
  }
}
