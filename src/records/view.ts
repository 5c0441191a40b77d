import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { notFound } from '../errors.ts'
import type { RequestInfo } from '../filter/request.ts'
import { ruleFor } from '../rules/access.ts'
import { answerRecord } from './answer.ts'
import { columnsOf, type Row } from './columns.ts'
import { refuseGuest } from './entry.ts'
import type { Extensions } from './extension.ts'
import { checkFresh, checkVersion, versionSql } from './guard.ts'
import { selectRows } from './select.ts'
import { isRuleFault } from './sight.ts'

/**
 * One record as the JSON text of an answer. Throws 403 for a viewRule of null, 404 when there is no such record or
 * the rule keeps it from the requester, StaleAuth when the requester's own record has changed.
 * PocketBase: apis/record_crud.go, recordView
 */
export async function viewRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
): Promise<string> {
  refuseGuest(extensions, collection, request)
  const rule = ruleFor(collection, 'viewRule', request.auth)
  const row = await findRow(store, collection, rule, id, request)
  if (!row) throw notFound()
  return answerRecord(store, collection, row, request)
}

async function findRow(
  store: Store,
  collection: Collection,
  rule: string,
  id: string,
  request: RequestInfo,
): Promise<Row | undefined> {
  const { auth } = request
  const row = await selectOne(store, collection, rule, id, request)
  if (row) checkVersion(auth, row[columnsOf(collection).count])
  else await checkFresh(store, auth)
  return row
}

async function selectOne(
  store: Store,
  collection: Collection,
  rule: string,
  id: string,
  request: RequestInfo,
): Promise<Row | undefined> {
  const { auth } = request
  try {
    const rows = await selectRows(store, {
      collection,
      rule,
      request,
      where: (position) => `b."id" = $${position}::text`,
      extra: (position) => versionSql(auth, position + 1),
      params: auth ? [id, auth.id] : [id],
      isLookUp: true,
    })
    return rows?.[0]
  } catch (error) {
    if (isRuleFault(error)) return undefined
    throw error
  }
}
