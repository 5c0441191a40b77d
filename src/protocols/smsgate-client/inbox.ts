import { sql } from 'kysely'
import { z } from 'zod'
import { overLimit } from '../../admission/holder.ts'
import type { Store } from '../../collections/catalog.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/open.ts'
import { lock, queries } from '../../db/queries.ts'
import { objectsOf } from '../../db/statement.ts'
import { GatewayError } from '../../errors.ts'
import { dateOf } from '../../fields/date.ts'
import { findAllStored } from '../../files/stored-files.ts'
import { sendFile, sentFile } from '../../http/routes/files.ts'
import { checkShape } from '../../sms/send/check-shape.ts'
import { invalid } from '../../sms/send/refusals.ts'
import { id } from '../../sms/send/schemas.ts'
import { isOwn } from '../../sms/send/send.ts'
import { requestInbox } from '../smsgate/phone.ts'
import { DATA_URL } from '../smsgate/wire.ts'
import { isoDate } from './messages.ts'
import { type Call, dateIn, deviceIn, MAX_DEVICE_ID, numberIn, rfc3339, unknownDevice } from './request.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

const TYPES = ['SMS', 'DATA_SMS', 'MMS', 'MMS_DOWNLOADED'] as const

/** The query of a list of incoming texts. A filter that is '' has no effect. */
export const INBOX_QUERY = z
  .object({
    type: z.enum(['', ...TYPES], `must be one of ${TYPES.join(', ')}`).default(''),
    from: dateIn,
    to: dateIn,
    deviceId: deviceIn,
    limit: numberIn
      .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, `must be a whole number from 1 to ${MAX_LIMIT}`)
      .default(DEFAULT_LIMIT),
    offset: numberIn.refine((offset) => offset >= 0, 'must not be negative').default(0),
  })
  .refine(({ from, to }) => !from || !to || from <= to, { path: ['from'], error: 'must not be after to' })

/** SQL: SMSGate's type of the text `m`. A text with attachments is an MMS. */
const TYPE = `case when m.attachments <> '{}' then 'MMS_DOWNLOADED' when starts_with(m.body, '${DATA_URL}') then 'DATA_SMS'
  else 'SMS' end`

const ATTACHMENTS = `(
  select json_agg(json_build_object('partId', n.i, 'name', n.name, 'size', f.size, 'contentType', f.type) order by n.i)
  from unnest(m.attachments) with ordinality n(name, i)
  join _files f on f.collection = 'sms_messages' and f.record = m.id and f.name = n.name and f.thumb = '')::text`

/** SQL: the conditions of a list. User and type, the first two, match the index sms_messages_incoming. */
const MATCHING = `
  m."user" = $1 and m.message_type = 'incoming' and ($2 = '' or m.delivered_at >= $2) and ($3 = '' or m.delivered_at < $3)
  and ($4 = '' or m.device = $4) and ($5 = '' or $5 = ${TYPE})`

const LIST = `
select m.id, ${TYPE} as type, m."from" as sender, m."to" as recipient, m.sim as "simNumber", m.body as "contentPreview",
  m.delivered_at as "createdAt", case when m.attachments <> '{}' then ${ATTACHMENTS} end as attachments
from sms_messages m where ${MATCHING}
order by m.delivered_at desc, m.id desc limit $6 offset $7`

const TOTAL = `select count(*) from sms_messages m where ${MATCHING}`

/** A page of a user's incoming texts, newest first. MMS announcements (type `MMS`) are not stored. */
export async function listInbox({ db }: Store, user: string, query: z.output<typeof INBOX_QUERY>) {
  if (query.type === 'MMS') return { total: 0, items: [] }
  const params = [user, query.from, query.to, query.deviceId, query.type]
  const counted = await db.shaped(TOTAL, params)
  const found = await db.shaped(LIST, [...params, query.limit, query.offset])
  return { total: Number(counted.rows[0]![0]), items: objectsOf<InboxRow>(found).map(toInboxMessage) }
}

interface InboxRow extends Readonly<Record<'id' | 'type' | 'sender' | 'contentPreview', string>> {
  readonly recipient: string
  readonly simNumber: number
  readonly createdAt: string
  readonly attachments: string | null
}

/** An incoming text as SMSGate's clients read it. The preview is the whole text. */
const toInboxMessage = ({ recipient, simNumber, createdAt, attachments, ...row }: InboxRow) => ({
  ...row,
  ...(recipient && { recipient }),
  ...(simNumber && { simNumber }),
  createdAt: isoDate(createdAt),
  ...(attachments && { attachments: JSON.parse(attachments) }),
})

/**
 * Answers with a file of an incoming text. The path has the file's number in that text, from 1. Throws 404.
 */
export async function sendAttachment({ c, store, user }: Call): Promise<Response> {
  const { id = '', part = '' } = c.req.param()
  const text = await queries(store.db)
    .selectFrom('sms_messages')
    .select('attachments')
    .where('id', '=', id)
    .where('message_type', '=', 'incoming')
    .where(sql`"user" || ''`, '=', user)
    .executeTakeFirst()
  const name = text?.attachments[Number(part) - 1]
  const [file] = await findAllStored(store.db, { collection: 'sms_messages', record: id }, name ? [name] : [])
  if (!file) throw new GatewayError(404, { message: 'There is no such attachment' })
  return sendFile(c, sentFile(store.db, file), file.name)
}

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
