import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { dateOf } from '../../engine/fields/date.ts'
import { checkShape, id } from '../../gateway/base/schemas.ts'
import { isOwn } from '../../gateway/messages/send/send.ts'
import { invalid } from '../../platform/common-refusals.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { lock, queries } from '../../platform/db/queries.ts'
import { overLimit } from '../../platform/limits/holder.ts'
import { requestInbox } from '../smsgate/inbox-request.ts'
import { isoDate, MAX_DEVICE_ID, rfc3339, unknownDevice } from './values.ts'

const MAX_DAYS = 31
/** Maximum webhook calls of one inbox refresh: 20,000 in one statement would take seconds. */
const MAX_CALLS = 1_000
const DAY_MS = 86_400_000

/** A request that phones post their received texts again (inbox refresh). */
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
      .describe('`Individual`: call `sms:received` webhooks again for the stored texts.'),
    triggerWebhooks: z.boolean('must be true or false').nullish().describe('True: `Individual`.'),
  })
  .meta({ id: 'SmsgateInboxRefresh' })

/** Reads the body of an inbox refresh; no device becomes ''. Throws 400 that names the first wrong field. */
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

/** The user's texts that came in a period, MAX_CALLS and one at most. */
const selectTexts = (db: Db, user: string, { since, until, device }: Refresh) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .where('m.user', '=', user)
    .where('m.message_type', '=', sql.lit('incoming'))
    .where('m.delivered_at', '>=', since)
    .where('m.delivered_at', '<=', until)
    .$if(device !== '', (query) => query.where('m.device', '=', device))
    .limit(sql.lit(MAX_CALLS + 1))

const selectReceivers = (db: Db, user: string) =>
  queries(db)
    .selectFrom('webhooks as w')
    .where('w.user', '=', user)
    .where('w.enabled', '=', true)
    .where('w.smsgate_event', '=', 'sms:received')

const countCalls = (db: Db, user: string, refresh: Refresh) =>
  queries(db)
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom(selectTexts(db, user, refresh).as('m'))
        .select(fn.countAll<number>().as('texts'))
        .$asScalar()
        .$notNull()
        .as('texts'),
      selectReceivers(db, user)
        .select(fn.countAll<number>().as('webhooks'))
        .$asScalar()
        .$notNull()
        .as('webhooks'),
    ])
    .executeTakeFirstOrThrow()

const queueCalls = (db: Db, user: string, refresh: Refresh) =>
  queries(db)
    .selectFrom(
      selectTexts(db, user, refresh)
        .select(['m.id', 'm.user', sql<string>`pb_new_id()`.as('event_id')])
        .as('t'),
    )
    .crossJoin(selectReceivers(db, user).select('w.id').as('w'))
    .select(
      sql`webhook_queue(array_agg(
        row(pb_new_id(), w.id, t."user", t.event_id, 'message.received', t.id, null, null)::webhook_call))`.as(
        'queued',
      ),
    )
    .execute()

const RETRY_SECONDS = 60

/**
 * Counts waiting webhook calls, at most MAX_CALLS per webhook. The inner limit makes Postgres use the index.
 */
const countWaiting = (db: Db, user: string) =>
  queries(db)
    .selectFrom(selectReceivers(db, user).select('w.id').as('w'))
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('webhook_dispatch as d')
        .select('d.delivery')
        .where('d.user', '=', user)
        .whereRef('d.webhook', '=', 'w.id')
        .where('d.handed_at', 'is', null)
        .limit(sql.lit(MAX_CALLS))
        .as('waiting'),
    )
    .select(({ fn }) => fn.countAll<number>().as('calls'))
    .executeTakeFirstOrThrow()

/**
 * Repeats a user's `sms:received` webhook calls for a period. Throws 400 if there are more than MAX_CALLS,
 * and 429 while MAX_CALLS earlier ones wait: many refreshes would fill the disk.
 */
function deliverAgain({ db }: Store, user: string, refresh: Refresh): Promise<void> {
  return db.transaction(async (inside) => {
    await lock(inside, LOCKS.inboxRefresh, user)
    if ((await countWaiting(inside, user)).calls >= MAX_CALLS)
      throw overLimit('texts of an earlier refresh that wait for their webhooks', true, RETRY_SECONDS)
    const { texts, webhooks } = await countCalls(inside, user, refresh)
    if (texts * webhooks > MAX_CALLS)
      throw invalid(
        `This would be more than ${MAX_CALLS} calls, one for each text and webhook: ask for a shorter time`,
      )
    await queueCalls(inside, user, refresh)
  })
}

/**
 * Makes phones post their inboxes again. Repeats webhook calls if the body says so, or if `always` is true.
 */
export async function refreshInbox(store: Store, user: string, body: unknown, always = false) {
  const refresh = readRefreshBody(body)
  const { since, until, device } = refresh
  const tellsWebhooks = always || refresh.tellsWebhooks
  if (device !== '' && !(await isOwn(store, 'devices', user, device))) throw unknownDevice()
  // phones first: if this fails, no webhook call is repeated; texts that are posted twice are stored once
  const phones = await requestInbox(store, user, device, { since: isoDate(since), until: isoDate(until) })
  if (tellsWebhooks) await deliverAgain(store, user, refresh)
  if (phones === 0 && !tellsWebhooks)
    throw invalid('webhookDelivery must be Individual: none of these devices is an SMSGate phone')
  // some clients cannot read an empty body, or the text that SMSGate's server answers
  return {}
}
