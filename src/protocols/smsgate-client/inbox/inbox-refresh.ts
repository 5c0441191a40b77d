import { z } from 'zod'
import { overLimit } from '../../../admission/holder.ts'
import type { Store } from '../../../collections/catalog.ts'
import { LOCKS } from '../../../db/advisory-locks.ts'
import { part, run, runForRow, statement, text } from '../../../db/statement.ts'
import { dateOf } from '../../../fields/types/date.ts'
import { isOwn } from '../../../sms/send/send.ts'
import { checkShape, id, invalid } from '../../../sms/send/shape.ts'
import { requestInbox } from '../../smsgate/phone.ts'
import { isoDate } from '../message-state.ts'
import { MAX_DEVICE_ID, rfc3339, unknownDevice } from '../query.ts'

const MAX_DAYS = 31
/** Maximum webhook calls of one refresh: 20,000 in one statement would take seconds. */
const MAX_CALLS = 1_000
const DAY_MS = 86_400_000

/** The body of a request to read inboxes again. */
export const REFRESH_BODY = z
  .object({
    since: rfc3339(),
    until: rfc3339(),
    deviceId: id(MAX_DEVICE_ID).nullish().describe('Left out: all devices.'),
    messageTypes: z
      .array(z.enum(['SMS', 'MMS'], 'must be SMS or MMS'), 'must be a list')
      .max(10)
      .nullish()
      .describe('Phones always hand in both.'),
    webhookDelivery: z
      .enum(['Disabled', 'Individual', 'Batch'], 'must be Disabled or Individual')
      .nullish()
      .describe('`Individual`: tell `sms:received` webhooks of the stored texts once more.'),
    triggerWebhooks: z.boolean('must be true or false').nullish().describe('True: `Individual`.'),
  })
  .meta({ id: 'SmsgateInboxRefresh' })

/** Reads a refresh; `device` '': all. Throws 400 that names the first wrong field. */
function readRefreshBody(raw: unknown) {
  const { since, until, deviceId, webhookDelivery, triggerWebhooks } = checkShape(REFRESH_BODY, raw)
  if (since > until) throw invalid('since must not be after until')
  if (dateOf(until)!.getTime() - dateOf(since)!.getTime() > MAX_DAYS * DAY_MS)
    throw invalid(`until must be at most ${MAX_DAYS} days after since`)
  if (webhookDelivery === 'Batch') throw invalid('webhookDelivery must be Disabled or Individual')
  const tellsWebhooks = webhookDelivery === 'Individual' || triggerWebhooks === true
  return { since, until, device: deviceId ?? '', tellsWebhooks }
}

type Refresh = ReturnType<typeof readRefreshBody>

const IN_PERIOD = part`
  m."user" = ${text('user')} and m.message_type = 'incoming' and m.delivered_at >= ${text('since')}
  and m.delivered_at <= ${text('until')} and (${text('device')} = '' or m.device = ${text('device')})`

const RECEIVERS = part`webhooks w where w."user" = ${text('user')} and w.enabled and w.smsgate_event = 'sms:received'`

const COUNT = statement('smsgate count texts', { texts: 'number', webhooks: 'number' })`
select (select count(*) from (select from sms_messages m where ${IN_PERIOD} limit ${MAX_CALLS + 1}) found) as texts,
  (select count(*) from ${RECEIVERS}) as webhooks`

const DELIVER = statement('smsgate deliver again', {})`
select webhook_queue(array_agg(
  row(pb_new_id(), w.id, t."user", t.event_id, 'message.received', t.id, null, null)::webhook_call))
from (select m.id, m."user", pb_new_id() as event_id from sms_messages m where ${IN_PERIOD} limit ${MAX_CALLS}) t
cross join (select w.id from ${RECEIVERS}) w`

const RETRY_SECONDS = 60

/** The limit inside makes Postgres read each webhook's calls by the index. */
const WAITING = statement('smsgate waiting calls', { calls: 'number' })`
select count(*) as calls from (select w.id from ${RECEIVERS}) w cross join lateral (
  select from webhook_dispatch d where d."user" = ${text('user')} and d.webhook = w.id and d.handed_at is null
  limit ${MAX_CALLS}) waiting`

/**
 * Repeats a user's `sms:received` webhook calls for a period. Throws 400 for too many, and 429 while as many
 * wait, since many refreshes would fill the disk.
 */
function deliverAgain({ db }: Store, user: string, refresh: Refresh): Promise<void> {
  const values = { user, ...refresh }
  return db.transaction(async (inside) => {
    await inside.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.inboxRefresh, user])
    if ((await runForRow(inside, WAITING, values))!.calls >= MAX_CALLS)
      throw overLimit('texts of an earlier refresh that wait for their webhooks', true, RETRY_SECONDS)
    const { texts, webhooks } = (await runForRow(inside, COUNT, values))!
    if (texts * webhooks > MAX_CALLS)
      throw invalid(
        `This would be more than ${MAX_CALLS} calls, one for each text and webhook: ask for a shorter time`,
      )
    await run(inside, DELIVER, values)
  })
}

/** Makes phones post their inboxes again. Repeats webhook calls if the body says so, or `always`. */
export async function refreshInbox(store: Store, user: string, body: unknown, always = false) {
  const refresh = readRefreshBody(body)
  const { since, until, device } = refresh
  const tellsWebhooks = always || refresh.tellsWebhooks
  if (device !== '' && !(await isOwn(store, 'devices', user, device))) throw unknownDevice()
  // phones first: a retry after a failure repeats webhook calls, but stores no text twice
  const phones = await requestInbox(store, user, device, { since: isoDate(since), until: isoDate(until) })
  if (tellsWebhooks) await deliverAgain(store, user, refresh)
  if (phones === 0 && !tellsWebhooks)
    throw invalid('webhookDelivery must be Individual: none of these devices is an SMSGate phone')
  // some clients cannot read an empty body or SMSGate's text
  return {}
}
