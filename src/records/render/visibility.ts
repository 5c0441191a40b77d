import type { Store } from '../../collections/catalog.ts'
import type { AuthCollection, Collection } from '../../collections/collection.ts'
import { isSqlError } from '../../db/errors.ts'
import { FilterError } from '../../filter/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { columnsOf, type RecordRow } from '../columns.ts'
import { selectRows } from '../select.ts'
import type { FieldVisibility, RenderedRecord } from './render.ts'

/** Wraps rows with what the caller may see of them. */
export async function prepareRows(
  store: Store,
  collection: Collection,
  rows: readonly RecordRow[],
  request: RequestInfo,
): Promise<RenderedRecord[]> {
  const showsHidden = request.auth?.isSuperuser ?? false
  const visibility: FieldVisibility = { showsHidden, showsEmail: showsHidden }
  const close: FieldVisibility = { showsHidden, showsEmail: true }
  const emails =
    collection.type === 'auth' ? await visibleEmails(store, collection, rows, request) : undefined
  const { id } = columnsOf(collection)
  return rows.map(
    (row): RenderedRecord => ({
      collection,
      row,
      visibility: emails?.has(row[id]) ? close : visibility,
    }),
  )
}

/**
 * Ids of auth records whose email the caller sees despite `emailVisibility`: the own one, and those that the
 * manageRule allows. One query, if there is such a rule. PocketBase: apis/record_helpers.go,
 * autoResolveRecordsFlags
 */
async function visibleEmails(
  store: Store,
  collection: AuthCollection,
  rows: readonly RecordRow[],
  request: RequestInfo,
): Promise<ReadonlySet<unknown>> {
  const seen = new Set<unknown>(request.auth ? [request.auth.id] : [])
  if (rows.length > 0 && collection.manageRule && !request.auth?.isSuperuser) {
    const { id } = columnsOf(collection)
    const ids = rows.map((row) => row[id])
    const managed = await managedRows(store, collection, collection.manageRule, ids, request)
    for (const [one] of managed) seen.add(one)
  }
  return seen
}

async function managedRows(
  store: Store,
  collection: Collection,
  rule: string,
  ids: readonly unknown[],
  request: RequestInfo,
): Promise<readonly RecordRow[]> {
  const where = (position: number, row: string) => `${row}."id" = ANY($${position}::text[])`
  try {
    const selection = { collection, rule, request, where, params: [ids], isFirst: true, idsOnly: true }
    return (await selectRows(store, selection)) ?? []
  } catch (error) {
    if (isRuleFault(error)) return []
    throw error
  }
}

/** Whether an error comes from a rule that does not fit its collections or fails on the data. */
export const isRuleFault = (error: unknown) => error instanceof FilterError || isSqlError(error)
