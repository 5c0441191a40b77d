import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { isSqlError } from '../../db/errors.ts'
import { FilterError } from '../../filter/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { columnsOf, type RecordRow } from '../columns.ts'
import { selectRows } from '../select.ts'

const NOBODY: ReadonlySet<string> = new Set()

/**
 * Ids of auth records whose email the caller sees despite `emailVisibility`: the own one, and those that the
 * manageRule allows. One query, if there is such a rule. PocketBase: apis/record_helpers.go,
 * autoResolveRecordsFlags
 */
export async function visibleEmails(
  store: Store,
  collection: Collection,
  rows: readonly RecordRow[],
  request: RequestInfo,
): Promise<ReadonlySet<string>> {
  if (collection.type !== 'auth' || rows.length === 0) return NOBODY
  const seen = new Set(request.auth ? [request.auth.id] : [])
  if (collection.manageRule && !request.auth?.isSuperuser) {
    const { id } = columnsOf(collection)
    const ids = rows.map((row) => row[id])
    for (const [managed] of await managedRows(store, collection, collection.manageRule, ids, request)) {
      seen.add(managed as string)
    }
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
