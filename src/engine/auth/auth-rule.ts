import { forbidden } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { isRuleFault } from '../records/check-rules.ts'
import { makeIdCondition, selectRows } from '../records/read-records.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'

export async function checkAuthRule(store: Store, auth: AuthRecord, request: RequestInfo) {
  const { authRule } = auth.collection as AuthCollection
  const refusal = forbidden(
    "The request doesn't satisfy the collection requirements to authenticate.",
  )
  if (request.auth?.isSuperuser) return
  const isMet =
    authRule !== null &&
    (await satisfiesAuthRule(store, auth, authRule, request).catch((error) => {
      throw isRuleFault(error) ? refusal : error
    }))
  if (!isMet) throw refusal
}

/** Whether an auth record matches a rule of its collection for this request. Throws FilterError. */
export async function satisfiesAuthRule(
  store: Store,
  auth: AuthRecord,
  rule: string,
  request: RequestInfo,
) {
  if (rule === '') return true
  const { collection, id } = auth
  return (await selectRows(store, { collection, rule, request, ...makeIdCondition(id) })).length > 0
}
