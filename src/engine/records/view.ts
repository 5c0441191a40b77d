import { notFound } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { RequestInfo } from '../request/request.ts'
import { answerRecord } from './answer-records.ts'
import {
  checkAuthVersion,
  describeVersionSql,
  listVersionValues,
  writeAuthVersionSql,
} from './check-auth-version.ts'
import { catchRuleFault, requireRule } from './check-rules.ts'
import type { Extensions } from './collection-extension.ts'
import { selectRows } from './read-records.ts'

/** One record as JSON. Throws 403, 404, and StaleAuth if the caller's auth record has changed. */
export async function viewRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  id: string,
): Promise<string> {
  const { auth } = request
  const { authRequired } = extensions.get(collection.id) ?? {}
  const rule = requireRule(collection, 'viewRule', auth, authRequired)
  const found = selectRows(store, {
    collection,
    rule,
    request,
    where: (position) => `b."id" = $${position}::text`,
    extra: (position) => writeAuthVersionSql(auth, position + 1),
    params: [id, ...listVersionValues(auth)],
    isLookUp: true,
    kind: `view ${describeVersionSql(auth)}`,
  })
  const [row] = await catchRuleFault(found, [])
  if (!row) throw notFound()
  checkAuthVersion(auth, row[collection.fields.length])
  return answerRecord(store, collection, row, request)
}
