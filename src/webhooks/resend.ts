import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import { dateOf, formatDate, parseDate } from '../fields/types/date.ts'
import { changeLogCte } from '../records/changes.ts'
import { isOwn, type Owner, requireOpen } from './hook.ts'
import { WAKE_SQL } from './lease.ts'
import { webhookRefusal } from './refusals.ts'
import type { Started } from './test-event.ts'

/** SQL: deliveries start again with all attempts. */
const AGAIN = `
update webhook_deliveries d
set status = 'pending', attempts = 0, next_attempt_at = pb_text(now()), updated = pb_text(now())`

const FIND = `
select d.webhook, d.event_id, d.event from webhook_deliveries d where d.id = $1 and ${isOwn('d', 2)} for update`

/** SQL of a CTE: what is in `written` is due now, also if it waited for a later time. */
const QUEUED = `queued as (
  insert into webhook_dispatch (delivery, webhook, "user") select id, coalesce(nullif(webhook, ''), 'callbacks'), "user" from written
  on conflict (delivery) do update set due_at = excluded.due_at
)`

const RESEND = `
with written as (${AGAIN} where d.id = $1 and ${isOwn('d', 2)} returning d.*),
${changeLogCte('written', 'update', 3, 'noted', true)}, ${QUEUED}
select ${WAKE_SQL} from written`

/** Sends a delivery again at once, with its webhook-id. Throws 404, 409 for a disabled webhook. */
export function resendDelivery(store: Store, owner: Owner, delivery: string): Promise<Started> {
  return store.db.transaction(async (db) => {
    const { rows } = await db.query(FIND, [delivery, owner])
    if (!rows[0]) throw webhookRefusal('delivery_not_found')
    const [webhook, eventId, event] = rows[0].map(String) as [string, string, string]
    if (webhook !== '') await requireOpen(db, owner, webhook)
    await db.query(RESEND, [delivery, owner, 'webhook_deliveries'])
    return { id: delivery, event_id: eventId, event, status: 'pending' }
  })
}

/** Which failed deliveries are to be sent once more. */
export const SINCE = z.object({
  since: z
    .string()
    .describe('Those that ended as failed at or after this date, in any form that PocketBase reads.'),
})

/** How many deliveries that is. */
export const RESENT = z.object({ resent: z.int().min(0) })

const RESEND_FAILED = `
with written as (
  ${AGAIN} where d.id = any(array(
    select f.id from webhook_deliveries f
    where f.webhook = $1 and ${isOwn('f', 2)} and f.status = 'failed' and f.updated >= $3 order by f.id for update
  )) returning d.*
), ${changeLogCte('written', 'update', 4, 'noted', true)}, ${QUEUED}
select count(*), ${WAKE_SQL} from written`

/** Sends failed deliveries since a date again (`body`: SINCE). Returns their number. Throws 400, 404, 409. */
export function resendFailed(
  store: Store,
  owner: Owner,
  webhook: string,
  body: unknown,
): Promise<z.output<typeof RESENT>> {
  const from = dateOf(parseDate(SINCE.safeParse(body).data?.since))
  if (!from) throw webhookRefusal('invalid_request')
  return store.db.transaction(async (db) => {
    await requireOpen(db, owner, webhook)
    const values = [webhook, owner, formatDate(from), 'webhook_deliveries']
    const { rows } = await db.query(RESEND_FAILED, values)
    return { resent: Number(rows[0]![0]) }
  })
}
