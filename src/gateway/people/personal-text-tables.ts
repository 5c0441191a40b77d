import { sql } from 'kysely'
import { REASONS } from '../base/message-status.ts'
import { ANSWER_DELETED } from '../retention/end-messages.ts'
import { writePersonHideSql } from './hide-person.ts'
import { DATES, makePlace, type Place, type Rows, selectByTexts } from './personal-table.ts'

/** Keeps a reason of the server. One of a device may contain the number, or anything. */
const keepServerReason = (column: string) => () =>
  sql`case when ${sql.ref(`t.${column}`)} = any(${Object.values(REASONS)}::text[]) then ${sql.ref(`t.${column}`)} else '' end`

/** What stays of a text in the calls about it, whatever fields superusers added. */
const KEPT = [
  'id',
  'user',
  'status',
  'message_type',
  'device',
  'line',
  'sim',
  'batch_id',
  'segments',
  'priority',
  'guarantee',
  'waiting_for',
  'sent_by',
  'scheduled_at',
  'expires_at',
  'sent_at',
  'delivered_at',
  'created',
  'updated',
]
const BLANK = sql`(case json_typeof(e.value) when 'string' then '""' when 'number' then '0'
  when 'array' then '[]' when 'object' then '{}' when 'boolean' then 'false' else 'null' end)::json`

/** A text, or a batch of texts to the person alone. */
const selectByTextsOrBatch: Rows = (
  { number },
  texts,
) => sql`(t.ref = any(${texts}) or t.ref = any(array(
  select m.batch_id from sms_messages m where m.id = any(${texts}) and m.batch_id <> '' and not exists (
    select from sms_messages o where o.batch_id = m.batch_id and o."to" not in ('', ${number})))))`

const selectByDeliveries: Rows = (_, texts) => sql`(t.delivery = any(array(
  select d.id from webhook_deliveries d where d.message = any(${texts}))))`

/** Places whose rows belong to texts. An erasure empties them together with each portion of texts. */
export const PLACES_OF_TEXTS: readonly Place[] = [
  makePlace({
    table: 'sms_events',
    title: 'Steps of texts',
    rows: selectByTexts(),
    shown: ['message', 'status', 'attempt', 'detail', 'created'],
    erasure: { detail: keepServerReason('detail') },
    logged: { detail: '' },
  }),
  makePlace({
    table: 'webhook_payloads',
    title: 'Webhook calls',
    key: 'delivery',
    rows: selectByDeliveries,
    shown: ['delivery', 'at', 'image'],
    erasure: {
      image: () => sql`(select json_object_agg(e.key,
        case when e.key = any(${KEPT}::text[]) then e.value else ${BLANK} end) from json_each(t.image) e)`,
      target: (person, name) => writePersonHideSql(sql.ref('t.target'), person, name),
    },
  }),
  makePlace({
    table: 'webhook_headers',
    title: 'Headers of webhook calls',
    key: 'delivery',
    rows: selectByDeliveries,
    erasure: 'delete',
  }),
  makePlace({
    table: 'webhook_deliveries',
    title: 'Answers to webhook calls',
    rows: selectByTexts(),
    shown: ['id', 'message', 'event', 'status', 'response_status', 'response_body', ...DATES],
    erasure: { response_body: ANSWER_DELETED },
  }),
  makePlace({
    table: 'sms_origins',
    title: 'Sends by other APIs',
    rows: selectByTextsOrBatch,
    key: 'ref',
    shown: ['ref', 'api', 'id', 'created'],
    erasure: { id: () => sql`t.ref`, data: '{}' },
  }),
  makePlace({
    table: 'twilio_answers',
    title: 'Texts answered by TwiML',
    rows: selectByTexts(),
    key: 'message',
    erasure: 'delete',
  }),
  makePlace({
    table: '_jobs',
    title: 'Automatic answers that wait',
    key: 'id',
    rows: (_, texts) => sql`(t.kind = 'answer' and t.key = any(${texts}))`,
    erasure: 'delete',
  }),
  makePlace({
    table: 'sms_dispatch',
    title: 'Texts that wait',
    rows: selectByTexts(),
    key: 'message',
    shown: ['message', 'state', 'due_at', 'expires_at'],
    erasure: 'delete',
  }),
  makePlace({
    table: '_files',
    title: 'Files of texts',
    key: 'id',
    rows: (_, texts) =>
      sql`(t.collection = 'sms_messages' and t.thumb = '' and t.record = any(${texts}))`,
    shown: ['record', 'name', 'type', 'size', 'modified'],
    erasure: 'delete',
  }),
  makePlace({
    table: 'sms_messages',
    title: 'Texts',
    rows: selectByTexts('id'),
    shown: [
      'id',
      'message_type',
      'status',
      'to',
      'from',
      'body',
      'segments',
      'scheduled_at',
      'sent_at',
      'delivered_at',
      'error_message',
      'client_ref',
      'batch_id',
      'attachments',
      ...DATES,
    ],
    erasure: {
      to: () => sql`case t.message_type when 'outgoing' then '' else t."to" end`,
      from: () => sql`case t.message_type when 'incoming' then '' else t."from" end`,
      error_message: keepServerReason('error_message'),
      body: '',
      client_ref: '',
      attachments: [],
    },
    logged: { to: '', from: '', body: '', error_message: '', client_ref: '', attachments: [] },
  }),
]
