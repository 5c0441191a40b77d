import type { Collection, Store } from '../../collections/catalog.ts'
import { notFound } from '../../errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { readRuleFor } from '../../rules/access.ts'
import { answerRecord } from '../expand/answer.ts'
import type { Extensions } from '../extension.ts'
import { authVersionSql, StaleAuth } from '../fresh-auth.ts'
import { isRuleFault } from '../render/render.ts'
import { selectRows } from '../select.ts'

/**
 * One record as JSON of an answer. Throws 403 for a viewRule of null, 404 if there is none or the rule hides
 * it, StaleAuth for a changed caller. PocketBase: apis/record_crud.go, recordView
 */
export async function viewRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  id: string,
): Promise<string> {
  const isAuthRequired = extensions.get(collection.id)?.authRequired
  const rule = readRuleFor(collection, 'viewRule', request.auth, isAuthRequired)
  const row = await findRow(store, collection, rule, id, request)
  if (!row) throw notFound()
  return answerRecord(store, collection, row, request)
}

/** Reads a record under a rule; undefined also if the rule fails on its data. */
async function findRow(store: Store, collection: Collection, rule: string, id: string, request: RequestInfo) {
  const { auth } = request
  const found = selectRows(store, {
    collection,
    rule,
    request,
    where: (position) => `b."id" = $${position}::text`,
    extra: (position) => authVersionSql(auth, position + 1),
    params: auth ? [id, auth.id] : [id],
    isLookUp: true,
    kind: `view ${auth?.collection.id}`,
  })
  const rows = await found.catch((error: unknown) => {
    if (isRuleFault(error)) return undefined
    throw error
  })
  const row = rows?.[0]
  if (row && auth && row[collection.fields.length] !== auth.version) throw new StaleAuth()
  return row
}
