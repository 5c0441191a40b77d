import type { Store } from '../../engine/collections/catalog.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { listRecords } from '../../engine/records/list.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { limitToScopes } from './limit-to-scopes.ts'
import type { Sender } from './make-sender.ts'

/** A page of the records that the scopes of a sender's key open, as `listRecords`. All doors list by it. */
export function listOpenedRecords(
  store: Store,
  extensions: Extensions,
  sender: Sender,
  collection: string,
  request: RequestInfo,
): Promise<string> {
  const [opened, asked] = limitToScopes(store, sender, request)
  return listRecords(opened, extensions, opened.catalog.find(collection)!, asked)
}
