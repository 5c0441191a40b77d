import { type Expression, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate, parseDate, toDate } from '../../engine/fields/parse-date.ts'
import { logQuery } from '../../engine/records/log-changes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { OtherForms } from './call-webhook.ts'
import { WAKE } from './lease-deliveries.ts'
import { findDelivery } from './load-delivery.ts'
import {
  isOwnWebhook,
  type Owner,
  requireOpenWebhook,
  webhookRefusal,
} from './require-webhook-owner.ts'

export const STARTED = z
  .object({
    id: z.string().describe('The id of its record in webhook_deliveries, which shows its outcome.'),
    event_id: z.string().describe('The webhook-id that the receiver gets.'),
    event: z.string().describe('The type of the event.'),
    status: z.enum(['pending']),
  })
  .meta({ id: 'StartedDelivery' })
export type StartedDelivery = z.output<typeof STARTED>

/** Queues deliveries again, now and with 0 attempts, if `which` holds. Returns their number. */
async function requeueDeliveries(
  db: Db,
  owner: Owner,
  which: Expression<SqlBool>,
): Promise<number> {
  const [row] = await executeStatement(
    db,
    sql<{ resent: number }>`with written as (
      update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = ${NOW}, updated = ${NOW}
      where id = any(array(
        select id from webhook_deliveries where ${isOwnWebhook(owner)} and ${which} order by id for update))
      returning *
    ), noted as ${logQuery('update', 'webhook_deliveries')}, queued as (
      insert into webhook_dispatch (delivery, webhook, "user")
      select id, coalesce(nullif(webhook, ''), 'callbacks'), "user" from written
      on conflict (delivery) do update set due_at = excluded.due_at
    )
    select count(*) as resent, ${WAKE} as woken from written`,
  )
  return row!.resent
}

/** Queues a delivery again, with the same webhook-id. Throws 404, 409 for a disabled webhook. */
export function resendDelivery(
  store: Store,
  owner: Owner,
  delivery: string,
): Promise<StartedDelivery> {
  return store.db.transaction(async (db) => {
    const found = await queries(db)
      .selectFrom('webhook_deliveries')
      .select(['webhook', 'event_id', 'event'])
      .where('id', '=', delivery)
      .where(isOwnWebhook(owner))
      .forUpdate()
      .executeTakeFirst()
    if (!found) throw webhookRefusal('delivery_not_found')
    const { webhook, ...event } = found
    if (webhook !== '') await requireOpenWebhook(db, owner, webhook)
    await requeueDeliveries(db, owner, sql`id = ${delivery}`)
    return { id: delivery, ...event, status: 'pending' }
  })
}

/** Selects the failed deliveries to send again. */
export const SINCE = z.object({
  since: z
    .string()
    .describe('Deliveries that failed at or after this date, in any form that PocketBase reads.'),
})

export const RESENT = z.object({ resent: z.int().min(0) })

/** Queues again a webhook's deliveries that failed since the date in `body`. Throws 400, 404, 409. */
export function resendFailed(store: Store, owner: Owner, webhook: string, body: unknown) {
  const from = toDate(parseDate(SINCE.safeParse(body).data?.since))
  if (!from) throw webhookRefusal('invalid_request')
  return store.db.transaction(async (db) => {
    await requireOpenWebhook(db, owner, webhook)
    const failed = sql<boolean>`webhook = ${webhook} and status = 'failed' and updated >= ${formatDate(from)}`
    return { resent: await requeueDeliveries(db, owner, failed) } satisfies z.output<typeof RESENT>
  })
}

export const DELIVERY_REQUEST = z
  .object({
    headers: z
      .record(z.string(), z.string())
      .describe(
        'Of the last attempt, with its signature; empty before the first. No secret is among them.',
      ),
    body: z
      .string()
      .describe(
        'The same at every attempt. It has no text any more once that of the message is deleted.',
      ),
  })
  .meta({ id: 'DeliveryRequest' })

/** A delivery's request: headers of the last attempt, and the body rendered as for an attempt. Throws 404. */
export async function loadDeliveryRequest(
  store: Store,
  owner: Owner,
  delivery: string,
  { bodyForm, bodyOf }: OtherForms,
): Promise<z.output<typeof DELIVERY_REQUEST>> {
  const sent = await queries(store.db)
    .selectFrom('webhook_deliveries as d')
    .leftJoin('webhook_headers as h', 'h.delivery', 'd.id')
    .select(sql<string | null>`h.headers::text`.as('headers'))
    .where('d.id', '=', delivery)
    .where(isOwnWebhook(owner))
    .executeTakeFirst()
  const found = sent && (await findDelivery(store, delivery, bodyForm))
  if (!found) throw webhookRefusal('delivery_not_found')
  const headers = Object.entries<string | number>(JSON.parse(sent!.headers ?? '{}'))
  return {
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: found.format === '' ? found.body : await bodyOf(found),
  }
}
