import type { Store } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { listRecords } from '../../engine/records/list.ts'
import { viewRecord } from '../../engine/records/view.ts'
import { NO_REQUEST, type RequestInfo } from '../../engine/request/request.ts'
import { notFound } from '../../platform/api-errors.ts'
import { limitToScopes } from './limit-to-scopes.ts'
import type { Sender } from './make-sender.ts'

/** A page of the records that the scopes of a sender's key open, as `listRecords`. All doors list by it. */
export function listOpenedRecords(
  store: Store,
  extensions: Extensions,
  sender: Sender,
  collection: string,
  request: Partial<RequestInfo>,
): Promise<string> {
  const [opened, asked] = limitToScopes(store, sender, { ...NO_REQUEST, ...request })
  return listRecords(opened, extensions, requireCollection(opened, collection), asked)
}

/** A record that the scopes of a sender's key open, as `viewRecord`. Throws 404. */
export function viewOpenedRecord(
  store: Store,
  extensions: Extensions,
  sender: Sender,
  collection: string,
  request: Partial<RequestInfo>,
  id: string,
): Promise<string> {
  const [opened, asked] = limitToScopes(store, sender, { ...NO_REQUEST, ...request })
  return viewRecord(opened, extensions, requireCollection(opened, collection), asked, id)
}

function requireCollection({ catalog }: Store, name: string): Collection {
  const found = catalog.find(name)
  if (!found) throw notFound()
  return found
}
