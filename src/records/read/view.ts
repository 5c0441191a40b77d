import type { Collection, Store } from '../../collections/catalog.ts'
import { notFound } from '../../errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { ruleFor } from '../../rules/access.ts'
import { answerRecord } from '../expand/expand.ts'
import type { Extensions } from '../extension.ts'
import { authVersionSql, StaleAuth } from '../fresh-auth.ts'
import { selectRows } from '../read-rows.ts'
import { unlessRuleFault } from '../render/render.ts'

/** One record as JSON. Throws 403, 404, StaleAuth if the caller has changed. */
export async function viewRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  id: string,
): Promise<string> {
  const isAuthRequired = extensions.get(collection.id)?.authRequired
  const rule = ruleFor(collection, 'viewRule', request.auth, isAuthRequired)
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
  const [row] = await unlessRuleFault(found, [])
  if (!row) throw notFound()
  if (auth && row[collection.fields.length] !== auth.version) throw new StaleAuth()
  return answerRecord(store, collection, row, request)
}
