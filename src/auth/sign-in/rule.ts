import type { Store } from '../../collections/catalog.ts'
import { selectRows } from '../../records/select.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'

/** Whether an auth record matches a rule of its collection for this request. Throws FilterError. */
export async function satisfies(store: Store, auth: AuthRecord, rule: string, request: RequestInfo) {
  if (rule === '') return true
  const { collection, id } = auth
  const where = (position: number) => `b.id = $${position}`
  const rows = await selectRows(store, { collection, rule, request, where, params: [id] })
  return rows !== undefined && rows.length > 0
}
