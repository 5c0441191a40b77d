import { z } from 'zod'
import { overLimit } from '../admission/holder.ts'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { type Part, part, run, runForRow, statement, text, textOrNull, unindexed } from '../db/statement.ts'
import { GatewayError } from '../errors.ts'
import { dateOf, formatDate, now, parseDate } from '../fields/date.ts'
import { changeLogCte } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { randomId } from '../tools/random.ts'
import { findDelivery, type OtherForms } from './call-webhook.ts'
import { WAKE_SQL } from './lease.ts'
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

const OWNER = textOrNull('owner')
/** SQL: whether a row belongs to the `owner`. Uses no index: another condition must find the row. */
const isOwn = (alias: string) => part`(${OWNER}::text is null or ${unindexed(`${alias}."user"`)} = ${OWNER})`

const openFor = (lock: 'share' | 'no key update') =>
  statement(`webhook open, ${lock}`, { user: 'string', enabled: 'boolean' })`
select w."user", w.enabled from webhooks w where w.id = ${text('webhook')} and ${isOwn('w')} for ${lock}`
const OPEN = { share: openFor('share'), 'no key update': openFor('no key update') }

/** Locks a webhook and returns its user. Throws 404, 409 for a disabled one. */
async function requireOpen(db: Db, owner: Owner, webhook: string, lock: keyof typeof OPEN = 'share') {
  const found = await runForRow(db, OPEN[lock], { webhook, owner })
  if (!found) throw webhookRefusal('webhook_not_found')
  if (!found.enabled) throw webhookRefusal('webhook_disabled')
  return found.user
}

/** How long the previous secret stays valid after a rotation. */
const ROTATION = `interval '24 hours'`

const ROTATE = statement('webhook rotate', { id: 'string' })`
with written as (
  update webhooks w set previous_secret = w.secret, secret = ${text('secret')}, updated = pb_text(now())
  where w.id = ${text('webhook')} and ${isOwn('w')} returning *
), kept as (
  insert into webhook_rotations (webhook, until) select id, now() + ${ROTATION} from written
  on conflict (webhook) do update set until = excluded.until
), ${changeLogCte('written', 'update', 'webhooks', 'noted', true)}
select id from written`

/** Replaces a webhook's secret and returns the new one. The old one also signs for 24 hours. Throws 404. */
export async function rotateSecret({ db }: Store, owner: Owner, webhook: string) {
  const secret = newSecret()
  if (!(await runForRow(db, ROTATE, { webhook, owner, secret }))) throw webhookRefusal('webhook_not_found')
  return { secret } satisfies z.output<typeof NEW_SECRET>
}

/** The name of test events. Webhooks need not subscribe to it. */
export const TEST_EVENT = 'webhook.test'

export const STARTED = z
  .object({
    id: z.string().describe('Of its record in webhook_deliveries, which says what becomes of it.'),
    event_id: z.string().describe('The webhook-id that the receiver gets.'),
    event: z.string().describe('The type of the event.'),
    status: z.enum(['pending']),
  })
  .meta({ id: 'StartedDelivery' })
type Started = z.output<typeof STARTED>

const QUEUE = statement('webhook queue test', {})`
select webhook_queue(array[row(${text('id')}, ${text('webhook')}, ${text('user')}, ${text('eventId')}, '${TEST_EVENT}', null, ${text('row')}, null)::webhook_call])`

const MAX_WAITING = 3
const RETRY_AFTER_SECONDS = 5
const COUNT = statement('webhook tests', { tests: 'number' })`
select count(*) as tests from webhook_dispatch where webhook = ${text('webhook')} and event = '${TEST_EVENT}'`

/** Queues a test event. Throws 404, 409 for a disabled webhook, 429 if too many tests of it wait. */
export async function sendTest(store: Store, owner: Owner, webhook: string): Promise<Started> {
  const [id, eventId] = [randomId(), randomId()]
  await store.db.transaction(async (db) => {
    const user = await requireOpen(db, owner, webhook, 'no key update')
    if ((await runForRow(db, COUNT, { webhook }))!.tests >= MAX_WAITING)
      throw overLimit('tests that wait of this webhook', true, RETRY_AFTER_SECONDS)
    await run(db, QUEUE, { id, webhook, user, eventId, row: JSON.stringify(sampleRow(user)) })
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

const FIND = statement('webhook delivery', { webhook: 'string', event_id: 'string', event: 'string' })`
select d.webhook, d.event_id, d.event from webhook_deliveries d where d.id = ${text('delivery')} and ${isOwn('d')} for update`

/** A statement that queues deliveries again, now and with 0 attempts. `which`: a condition on a row `f`. */
const again = <W extends Part<unknown>>(name: string, which: W) => statement(name, { resent: 'number' })`
with written as (
  update webhook_deliveries d
  set status = 'pending', attempts = 0, next_attempt_at = pb_text(now()), updated = pb_text(now())
  where d.id = any(array(
    select f.id from webhook_deliveries f where ${isOwn('f')} and ${which} order by f.id for update
  )) returning d.*
), ${changeLogCte('written', 'update', 'webhook_deliveries', 'noted', true)}, queued as (
  insert into webhook_dispatch (delivery, webhook, "user") select id, coalesce(nullif(webhook, ''), 'callbacks'), "user" from written
  on conflict (delivery) do update set due_at = excluded.due_at
)
select count(*) as resent, ${WAKE_SQL} from written`
const RESEND = again('webhook resend', part`f.id = ${text('delivery')}`)
const RESEND_FAILED = again(
  'webhook resend failed',
  part`f.webhook = ${text('webhook')} and f.status = 'failed' and f.updated >= ${text('since')}`,
)

/** Queues a delivery again, with the same webhook-id. Throws 404, 409 for a disabled webhook. */
export function resendDelivery(store: Store, owner: Owner, delivery: string): Promise<Started> {
  return store.db.transaction(async (db) => {
    const found = await runForRow(db, FIND, { delivery, owner })
    if (!found) throw webhookRefusal('delivery_not_found')
    const { webhook, ...event } = found
    if (webhook !== '') await requireOpen(db, owner, webhook)
    await run(db, RESEND, { delivery, owner })
    return { id: delivery, ...event, status: 'pending' }
  })
}

/** Selects the failed deliveries to send again. */
export const SINCE = z.object({
  since: z
    .string()
    .describe('Those that ended as failed at or after this date, in any form that PocketBase reads.'),
})

export const RESENT = z.object({ resent: z.int().min(0) })

/** Queues again a webhook's deliveries that failed since the date in `body`. Throws 400, 404, 409. */
export function resendFailed(store: Store, owner: Owner, webhook: string, body: unknown) {
  const from = dateOf(parseDate(SINCE.safeParse(body).data?.since))
  if (!from) throw webhookRefusal('invalid_request')
  return store.db.transaction(async (db) => {
    await requireOpen(db, owner, webhook)
    const { resent } = (await runForRow(db, RESEND_FAILED, { webhook, owner, since: formatDate(from) }))!
    return { resent } satisfies z.output<typeof RESENT>
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

const HEADERS = statement('webhook headers', { headers: 'string?' })`
select p.headers::text from webhook_deliveries d join webhook_payloads p on p.delivery = d.id
where d.id = ${text('delivery')} and ${isOwn('d')}`

/** A delivery's request: headers of the last attempt, and the body rendered as for an attempt. Throws 404. */
export async function readDeliveryRequest(
  store: Store,
  owner: Owner,
  delivery: string,
  { bodyForm, bodyOf }: OtherForms,
): Promise<z.output<typeof DELIVERY_REQUEST>> {
  const sent = await runForRow(store.db, HEADERS, { delivery, owner })
  const found = sent && (await findDelivery(store, delivery, bodyForm))
  if (!found) throw webhookRefusal('delivery_not_found')
  const headers = Object.entries<string | number>(JSON.parse(sent!.headers ?? '{}'))
  return {
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: found.format === '' ? found.body : bodyOf(found),
  }
}
