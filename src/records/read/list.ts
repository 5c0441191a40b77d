import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Extensions } from '../extension.ts'
import { admitReader } from './admit-reader.ts'
import { compileList } from './compile-list.ts'
import { findPage } from './find-page.ts'
import { renderPage } from './render-page.ts'

/**
 * A page of a collection's records as the JSON text of an answer, by the query's `page`, `perPage`,
 * `skipTotal`, `sort`, `filter`, `expand` and `fields`. What the listRule keeps from the caller is not in it.
 * Throws 403 for a listRule of null, 400 for anything wrong in the query, StaleAuth when the caller's record
 * has changed. PocketBase: apis/record_crud.go, recordsList; contract 3.1
 */
export async function listRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
): Promise<string> {
  const rule = admitReader(extensions, collection, 'listRule', request.auth)
  const query = await compileList(store, extensions.get(collection.id), collection, rule, request)
  const page = await findPage(store, query, request)
  return renderPage(store, query, page, request)
}
