import type { Store } from '../../collections/catalog.ts'
import { byId, selectRows } from '../../records/select.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'

/** Whether an auth record matches a rule of its collection for this request. Throws FilterError. */
export async function satisfies(store: Store, auth: AuthRecord, rule: string, request: RequestInfo) {
  if (rule === '') return true
  const { collection, id } = auth
  return (await selectRows(store, { collection, rule, request, ...byId(id) })).length > 0
}
