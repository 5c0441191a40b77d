import { type Expression, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { overLimit } from '../admission/holder.ts'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { anyFound, NOW, queries } from '../db/queries.ts'
import { GatewayError } from '../errors.ts'
import { dateOf, formatDate, now, parseDate } from '../fields/date.ts'
import { noteChanges } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomId } from '../tools/random.ts'
import { findDelivery, type OtherForms } from './call-webhook.ts'
import { WAKE } from './lease.ts'
import { type NEW_SECRET, newSecret } from './secrets.ts'

export const WEBHOOK_REFUSALS = {
  unauthorized: [401, 'Authentication required'],
  forbidden: [403, 'Only users and superusers may do this'],
  webhook_not_found: [404, 'Webhook not found'],
  delivery_not_found: [404, 'Delivery not found'],
  webhook_disabled: [409, 'The webhook is disabled. Enable it first.'],
  invalid_request: [400, 'The body must be a JSON object with a date `since`'],
  request_too_large: [413, 'The body must have at most 10000 bytes'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** The answer `{"error","message"}` of a refused request about webhooks. */
function webhookRefusal(error: keyof typeof WEBHOOK_REFUSALS): GatewayError {
  const [status, message] = WEBHOOK_REFUSALS[error]
  return new GatewayError(status, { error, message })
}

/** The user whose webhooks a caller may use; null: those of all users. Every statement here filters by it. */
export type Owner = string | null

/** The user whose webhooks the caller may use; null (all users) for a superuser. Throws 401, 403. */
export function ownerOf(auth: AuthRecord | null): Owner {
  if (!auth) throw webhookRefusal('unauthorized')
  if (auth.isSuperuser) return null
  if (auth.collection.name !== 'users') throw webhookRefusal('forbidden')
  return auth.id
}

/** Whether a row belongs to the owner. Uses no index: another condition must find the row. */
const isOwn = (owner: Owner) => sql<boolean>`(${owner}::text is null or "user" || '' = ${owner})`

/** Locks a webhook and returns its user. Throws 404, 409 for a disabled one. */
async function requireOpen(db: Db, owner: Owner, webhook: string, lock: 'share' | 'no key update' = 'share') {
  const found = await queries(db)
    .selectFrom('webhooks')
    .select(['user', 'enabled'])
    .where('id', '=', webhook)
    .where(isOwn(owner))
    .$if(lock === 'share', (query) => query.forShare())
    .$if(lock === 'no key update', (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (!found) throw webhookRefusal('webhook_not_found')
  if (!found.enabled) throw webhookRefusal('webhook_disabled')
  return found.user
}

/** How long the previous secret stays valid after a rotation. */
const ROTATION = sql<Date>`now() + interval '24 hours'`

/** Replaces a webhook's secret and returns the new one. The old one also signs for 24 hours. Throws 404. */
export async function rotateSecret({ db }: Store, owner: Owner, webhook: string) {
  const secret = newSecret()
  const rotated = await queries(db)
    .with('written', (query) =>
      query
        .updateTable('webhooks')
        .set(({ ref }) => ({ previous_secret: ref('secret'), secret, updated: NOW }))
        .where('id', '=', webhook)
        .where(isOwn(owner))
        .returningAll(),
    )
    .with('kept', (query) =>
      query
        .insertInto('webhook_rotations')
        .columns(['webhook', 'until'])
        .expression((from) => from.selectFrom('written').select(['id', ROTATION.as('until')]))
        .onConflict((found) =>
          found.column('webhook').doUpdateSet(({ ref }) => ({ until: ref('excluded.until') })),
        ),
    )
    .with('noted', noteChanges('update', 'webhooks'))
    .selectFrom('written')
    .select('id')
    .executeTakeFirst()
  if (!rotated) throw webhookRefusal('webhook_not_found')
  return { secret } satisfies z.output<typeof NEW_SECRET>
}

/** The name of test events. Webhooks need not subscribe to it. */
export const TEST_EVENT = 'webhook.test'

export const STARTED = z
  .object({
    id: z.string().describe('The id of its record in webhook_deliveries, which shows its outcome.'),
    event_id: z.string().describe('The webhook-id that the receiver gets.'),
    event: z.string().describe('The type of the event.'),
    status: z.enum(['pending']),
  })
  .meta({ id: 'StartedDelivery' })
type Started = z.output<typeof STARTED>

const MAX_WAITING = 3
const RETRY_AFTER_SECONDS = 5
/** Queues a test event. Throws 404, 409 for a disabled webhook, 429 if too many tests of it wait. */
export async function sendTest(store: Store, owner: Owner, webhook: string): Promise<Started> {
  const [id, eventId] = [randomId(), randomId()]
  await store.db.transaction(async (db) => {
    const user = await requireOpen(db, owner, webhook, 'no key update')
    const { tests } = await queries(db)
      .selectFrom('webhook_dispatch')
      .select(({ fn }) => fn.countAll<number>().as('tests'))
      .where('webhook', '=', webhook)
      .where('event', '=', sql.lit(TEST_EVENT))
      .executeTakeFirstOrThrow()
    if (tests >= MAX_WAITING) throw overLimit('tests that wait of this webhook', true, RETRY_AFTER_SECONDS)
    const call = sql`row(${id}, ${webhook}, ${user}, ${eventId}, ${TEST_EVENT}, null, ${JSON.stringify(sampleRow(user))}, null)::webhook_call`
    await queries(db).selectNoFrom(sql`webhook_queue(array[${call}])`.as('queued')).execute()
  })
  return { id, event_id: eventId, event: TEST_EVENT, status: 'pending' }
}

/** A sample message to a test number of Twilio, as a row of `sms_messages`. Absent columns are empty. */
export function sampleRow(user: string) {
  const at = now()
  return {
    id: 'testmessage0000',
    status: 'delivered',
    to: '+15005550006',
    body: 'This is a test of your webhook.',
    message_type: 'outgoing',
    segments: 1,
    guarantee: 'at_most_once',
    sent_at: at,
    delivered_at: at,
    user,
    created: at,
    updated: at,
  }
}

/** Queues deliveries again, now and with 0 attempts, if `which` holds. Returns their number. */
async function queueAgain(db: Db, owner: Owner, which: Expression<SqlBool>): Promise<number> {
  const { resent } = await queries(db)
    .with('written', (query) =>
      query
        .updateTable('webhook_deliveries')
        .set({ status: 'pending', attempts: 0, next_attempt_at: NOW, updated: NOW })
        .where('id', '=', ({ selectFrom }) =>
          anyFound(
            selectFrom('webhook_deliveries')
              .select('id')
              .where(isOwn(owner))
              .where(which)
              .orderBy('id')
              .forUpdate(),
          ),
        )
        .returningAll(),
    )
    .with('noted', noteChanges('update', 'webhook_deliveries'))
    .with('queued', (query) =>
      query
        .insertInto('webhook_dispatch')
        .columns(['delivery', 'webhook', 'user'])
        .expression((from) =>
          from
            .selectFrom('written')
            .select(['id', sql<string>`coalesce(nullif(webhook, ''), 'callbacks')`.as('webhook'), 'user']),
        )
        .onConflict((found) =>
          found.column('delivery').doUpdateSet(({ ref }) => ({ due_at: ref('excluded.due_at') })),
        ),
    )
    .selectFrom('written')
    .select(({ fn }) => [fn.countAll<number>().as('resent'), WAKE.as('woken')])
    .executeTakeFirstOrThrow()
  return resent
}

/** Queues a delivery again, with the same webhook-id. Throws 404, 409 for a disabled webhook. */
export function resendDelivery(store: Store, owner: Owner, delivery: string): Promise<Started> {
  return store.db.transaction(async (db) => {
    const found = await queries(db)
      .selectFrom('webhook_deliveries')
      .select(['webhook', 'event_id', 'event'])
      .where('id', '=', delivery)
      .where(isOwn(owner))
      .forUpdate()
      .executeTakeFirst()
    if (!found) throw webhookRefusal('delivery_not_found')
    const { webhook, ...event } = found
    if (webhook !== '') await requireOpen(db, owner, webhook)
    await queueAgain(db, owner, sql`id = ${delivery}`)
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
  const from = dateOf(parseDate(SINCE.safeParse(body).data?.since))
  if (!from) throw webhookRefusal('invalid_request')
  return store.db.transaction(async (db) => {
    await requireOpen(db, owner, webhook)
    const failed = sql<boolean>`webhook = ${webhook} and status = 'failed' and updated >= ${formatDate(from)}`
    return { resent: await queueAgain(db, owner, failed) } satisfies z.output<typeof RESENT>
  })
}

export const DELIVERY_REQUEST = z
  .object({
    headers: z
      .record(z.string(), z.string())
      .describe('Of the last attempt, with its signature; empty before the first. No secret is among them.'),
    body: z
      .string()
      .describe('The same at every attempt. It has no text any more once that of the message is deleted.'),
  })
  .meta({ id: 'DeliveryRequest' })

/** A delivery's request: headers of the last attempt, and the body rendered as for an attempt. Throws 404. */
export async function readDeliveryRequest(
  store: Store,
  owner: Owner,
  delivery: string,
  { bodyForm, bodyOf }: OtherForms,
): Promise<z.output<typeof DELIVERY_REQUEST>> {
  const sent = await queries(store.db)
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_payloads as p', 'p.delivery', 'd.id')
    .select(sql<string | null>`p.headers::text`.as('headers'))
    .where('d.id', '=', delivery)
    .where(isOwn(owner))
    .executeTakeFirst()
  const found = sent && (await findDelivery(store, delivery, bodyForm))
  if (!found) throw webhookRefusal('delivery_not_found')
  const headers = Object.entries<string | number>(JSON.parse(sent!.headers ?? '{}'))
  return {
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: found.format === '' ? found.body : await bodyOf(found),
  }
}
