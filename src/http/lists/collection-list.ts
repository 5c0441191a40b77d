import type { Store } from '../../collections/catalog.ts'
import { collectionJson } from '../../collections/definition/serialise.ts'
import type { Extensions } from '../../records/extension.ts'
import type { RequestInfo } from '../../request/request.ts'
import { listPlain, plainList } from './plain-list.ts'

/** Fields to filter and sort collections by: the columns of this view. */
const LISTED = plainList('_collections_listed', [
  ['id', 'text'],
  ['name', 'text'],
  ['type', 'text'],
  ['created', 'date'],
  ['updated', 'date'],
  ['system', 'bool'],
])

/** A page of collections as JSON, oldest first. Throws 400, FilterError. PocketBase: apis/collection.go */
export const listCollections = (store: Store, extensions: Extensions, request: RequestInfo) =>
  listPlain(LISTED, store, extensions, request, ({ id }) => collectionJson(store.catalog.find(String(id))!))
