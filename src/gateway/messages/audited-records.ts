import type { Store } from '../../engine/collections/catalog.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { createRecord, updateRecord } from '../../engine/records/create-or-update.ts'
import { deleteRecord } from '../../engine/records/delete.ts'
import type { WriteOptions } from '../../engine/records/write-in-progress.ts'
import { makeServerRequest, type RequestInfo } from '../../engine/request/request.ts'
import type { Sender } from '../base/make-sender.ts'
import { auditAct, noteAct } from './queue/audit-message-change.ts'

// Writes of records by APIs of other products, which the audit log of the account names.

/** Who writes, and by which rules of collections. */
interface Writer extends Sender {
  readonly store: Store
  readonly services: { readonly extensions: Extensions }
}

/**
 * Changes a record, or without an id creates one, and returns it as JSON. `request`: the rules hold for its
 * caller. Default: a superuser's rights.
 */
export function saveAuditedRecord(
  writer: Writer,
  name: string,
  id: string | undefined,
  values: Readonly<Record<string, unknown>>,
  request: RequestInfo = makeServerRequest(writer.store, values),
  options: WriteOptions = {},
): Promise<string> {
  const { store, services } = writer
  const { extensions } = services
  const collection = store.catalog.find(name)!
  const noted = noteAct(writer, name, id ? 'update' : 'create', Object.keys(values))
  const all = { ...options, ...noted }
  return id
    ? updateRecord(store, extensions, collection, id, request, all)
    : createRecord(store, extensions, collection, request, all)
}

/** Deletes a record, if the rules allow it to the caller of the request. */
export const deleteAsCaller = (
  writer: Writer,
  name: string,
  id: string,
  request: RequestInfo,
  options: WriteOptions,
) =>
  deleteRecord(
    writer.store,
    writer.services.extensions,
    writer.store.catalog.find(name)!,
    id,
    request,
    { ...options, ...noteAct(writer, name, 'delete') },
  )

/** Deletes records, with a superuser's rights. */
export const deleteAuditedRecords = (
  writer: Writer,
  name: string,
  ids: readonly string[],
): Promise<void> =>
  writer.store.db.transaction(async (db) => {
    const { catalog } = writer.store
    if (ids.length > 0)
      await deleteRecords({ db, catalog }, writer.services.extensions, catalog.find(name)!, ids)
    for (const id of ids) await auditAct(db, { sender: writer }, name, 'delete', id)
  })
