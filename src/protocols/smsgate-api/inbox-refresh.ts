import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import { checkShape, makeIdSchema } from '../../gateway/base/body-schemas.ts'
import { isOwnLine } from '../../gateway/messages/send/prepare-offer.ts'
import { requestInbox } from '../../gateway/smsgate-app/inbox-request.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock } from '../../platform/db/queries.ts'
import { makeOverLimit } from '../../platform/limits/limit-holder.ts'
import {
  MAX_DEVICE_ID,
  makeDeviceError,
  makeStoredDateSchema,
  toIsoDate,
} from './smsgate-values.ts'

const MAX_DAYS = 31
/** Maximum webhook calls of one inbox refresh: 20,000 in one statement would take seconds. */
const MAX_CALLS = 1_000
const DAY_MS = 86_400_000

/** A request that phones post their received texts again (inbox refresh). */
export const REFRESH_BODY = z
  .object({
    since: makeStoredDateSchema(),
    until: makeStoredDateSchema(),
    deviceId: makeIdSchema(MAX_DEVICE_ID).nullish().describe('Left out: all devices.'),
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
  if (since > until) throw invalidRequest('since must not be after until')
  if (toDate(until)!.getTime() - toDate(since)!.getTime() > MAX_DAYS * DAY_MS)
    throw invalidRequest(`until must be at most ${MAX_DAYS} days after since`)
  if (webhookDelivery === 'Batch')
    throw invalidRequest('webhookDelivery must be Disabled or Individual')
  const tellsWebhooks = webhookDelivery === 'Individual' || triggerWebhooks === true
  return { since, until, device: deviceId ?? '', tellsWebhooks }
}

type Refresh = ReturnType<typeof readRefreshBody>

/**
 * SQL: the texts that the user received in a period: at most MAX_CALLS + 1, which is enough to see that there
 * are too many.
 */
const writeTextsSql = (user: string, { since, until, device }: Refresh) => sql`(
  select m.id, m."user" from sms_messages m
  where m."user" = ${user} and m.message_type = 'incoming' and m.delivered_at between ${since} and ${until}
    and ${device === '' ? sql`true` : sql`m.device = ${device}`}
  limit ${sql.lit(MAX_CALLS + 1)})`

const writeReceiversSql = (user: string) => sql`(
  select w.id from webhooks w where w."user" = ${user} and w.enabled and w.smsgate_event = 'sms:received')`

const countCalls = (db: Db, user: string, refresh: Refresh) =>
  evaluateSql(
    db,
    sql<number>`(select count(*) from ${writeTextsSql(user, refresh)} t cross join ${writeReceiversSql(user)} w)`,
  )

const queueCalls = (db: Db, user: string, refresh: Refresh) =>
  evaluateSql(
    db,
    sql`(select webhook_queue(array_agg(
        row(pb_new_id(), w.id, t."user", t.event_id, 'message.received', t.id, null, null)::webhook_call))
      from (select *, pb_new_id() as event_id from ${writeTextsSql(user, refresh)} m) t
      cross join ${writeReceiversSql(user)} w)`,
  )

const RETRY_SECONDS = 60

/**
 * Counts waiting webhook calls, at most MAX_CALLS per webhook. The inner limit makes Postgres use the index.
 */
const countWaitingCalls = (db: Db, user: string) =>
  evaluateSql(
    db,
    sql<number>`(select count(*) from ${writeReceiversSql(user)} w cross join lateral (
      select from webhook_dispatch d where d."user" = ${user} and d.webhook = w.id and d.handed_at is null
      limit ${sql.lit(MAX_CALLS)}) waiting)`,
  )

/**
 * Repeats a user's `sms:received` webhook calls for a period. Throws 400 if there are more than MAX_CALLS,
 * and 429 while MAX_CALLS earlier ones wait: many refreshes would fill the disk.
 */
function redeliverTexts({ db }: Store, user: string, refresh: Refresh): Promise<void> {
  return db.transaction(async (inside) => {
    await acquireLock(inside, LOCKS.inboxRefresh, user)
    if ((await countWaitingCalls(inside, user)) >= MAX_CALLS)
      throw makeOverLimit(
        'texts of an earlier refresh that wait for their webhooks',
        true,
        RETRY_SECONDS,
      )
    if ((await countCalls(inside, user, refresh)) > MAX_CALLS)
      throw invalidRequest(
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
  if (device !== '' && !(await isOwnLine(store, 'devices', user, device))) throw makeDeviceError()
  // phones first: if this fails, no webhook call is repeated; texts that are posted twice are stored once
  const phones = await requestInbox(store, user, device, {
    since: toIsoDate(since),
    until: toIsoDate(until),
  })
  if (tellsWebhooks) await redeliverTexts(store, user, refresh)
  if (phones === 0 && !tellsWebhooks)
    throw invalidRequest(
      'webhookDelivery must be Individual: none of these devices is an SMSGate phone',
    )
  // some clients cannot read an empty body, or the text that SMSGate's server answers
  return {}
}
