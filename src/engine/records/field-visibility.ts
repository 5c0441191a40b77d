import type { Store } from '../collections/catalog.ts'
import type { AuthCollection, Collection } from '../collections/collection.ts'
import type { RequestInfo } from '../request/request.ts'
import { catchRuleFault } from './check-rules.ts'
import { selectRows } from './read-records.ts'
import { columnsOf, type RecordRow } from './record-row.ts'
import type { FieldVisibility, RenderedRecord } from './render.ts'

/** Adds to each row whether the caller may see its email and hidden fields. */
export async function addVisibility(
  store: Store,
  collection: Collection,
  rows: readonly RecordRow[],
  request: RequestInfo,
): Promise<RenderedRecord[]> {
  const showsHidden = request.auth?.isSuperuser ?? false
  const visibility: FieldVisibility = { showsHidden, showsEmail: showsHidden }
  if (collection.type !== 'auth') return rows.map((row) => ({ collection, row, visibility }))
  const withEmail: FieldVisibility = { showsHidden, showsEmail: true }
  const emails = await findVisibleEmails(store, collection, rows, request)
  const { id } = columnsOf(collection)
  return rows.map((row) => ({
    collection,
    row,
    visibility: emails.has(row[id]) ? withEmail : visibility,
  }))
}

/** Ids of auth records whose email the caller may see: the caller's own, and those it may manage. */
async function findVisibleEmails(
  store: Store,
  collection: AuthCollection,
  rows: readonly RecordRow[],
  request: RequestInfo,
): Promise<ReadonlySet<unknown>> {
  const seen = new Set<unknown>(request.auth && !request.auth.actor ? [request.auth.id] : [])
  if (rows.length > 0 && collection.manageRule && !request.auth?.isSuperuser) {
    const { id } = columnsOf(collection)
    const managed = selectRows(store, {
      collection,
      rule: collection.manageRule,
      request,
      where: (position, row) => `${row}."id" = ANY($${position}::text[])`,
      params: [rows.map((row) => row[id])],
      isFirst: true,
      idsOnly: true,
    })
    for (const [one] of await catchRuleFault(managed, [])) seen.add(one)
  }
  return seen
}
