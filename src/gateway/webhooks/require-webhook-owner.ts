import { sql } from 'kysely'
import type { AuthRecord } from '../../engine/request/request.ts'
import { makeErrorFactory, type Refusals } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

export const WEBHOOK_REFUSALS = {
  unauthorized: [401, 'Authentication required'],
  forbidden: [403, 'Only users and superusers may do this'],
  webhook_not_found: [404, 'Webhook not found'],
  delivery_not_found: [404, 'Delivery not found'],
  webhook_disabled: [409, 'The webhook is disabled. Enable it first.'],
  invalid_request: [400, 'The body must be a JSON object with a date `since`'],
  request_too_large: [413, 'The body must have at most 10000 bytes'],
} as const satisfies Refusals

/** The answer `{"error","message"}` of a refused request about webhooks. */
export const webhookRefusal = makeErrorFactory(WEBHOOK_REFUSALS)

/** The user whose webhooks a caller may use; null: those of all users. Every statement here filters by it. */
export type Owner = string | null

/** The user whose webhooks the caller may use; null (all users) for a superuser. Throws 401, 403. */
export function requireWebhookOwner(auth: AuthRecord | null): Owner {
  if (!auth) throw webhookRefusal('unauthorized')
  if (auth.isSuperuser) return null
  if (auth.collection.name !== 'users') throw webhookRefusal('forbidden')
  return auth.id
}

/** Whether a row belongs to the owner. Uses no index: another condition must find the row. */
export const isOwnWebhook = (owner: Owner) =>
  sql<boolean>`(${owner}::text is null or "user" || '' = ${owner})`

/** Locks a webhook and returns its user. Throws 404, 409 for a disabled one. */
export async function requireOpenWebhook(
  db: Db,
  owner: Owner,
  webhook: string,
  lock: 'share' | 'no key update' = 'share',
) {
  const found = await queries(db)
    .selectFrom('webhooks')
    .select(['user', 'enabled'])
    .where('id', '=', webhook)
    .where(isOwnWebhook(owner))
    .$if(lock === 'share', (query) => query.forShare())
    .$if(lock === 'no key update', (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (!found) throw webhookRefusal('webhook_not_found')
  if (!found.enabled) throw webhookRefusal('webhook_disabled')
  return found.user
}
