import { sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import { writeOwnHideSql } from '../base/hide-person.ts'
import {
  DATES,
  type Mention,
  makePlace,
  makeRecordMention,
  type PersonalData,
  type PersonRows,
  selectByTexts,
  writePageCondition,
} from '../base/personal-data.ts'
import { ANSWER_DELETED } from '../retention/end-messages.ts'

/** Fields of a text that stay in the calls about it, whatever fields superusers added. */
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

const selectByDeliveries: PersonRows = (_, texts) => sql`(t.delivery = any(array(
  select d.id from webhook_deliveries d where d.message = any(${texts}))))`

const BY_DELIVERY: Pick<Mention, 'key' | 'rows'> = {
  key: 'delivery',
  rows: (page) =>
    sql`t.delivery = any(array(select d.id from webhook_deliveries d where ${writePageCondition('d', page)}))`,
}

export const WEBHOOK_DATA: PersonalData = {
  places: [
    makePlace({
      table: 'webhook_payloads',
      title: 'Webhook calls',
      phase: 'texts',
      key: 'delivery',
      rows: selectByDeliveries,
      shown: ['delivery', 'at', 'image'],
      erasure: {
        image: () => sql`(select json_object_agg(e.key,
          case when e.key = any(${KEPT}::text[]) then e.value else ${BLANK} end) from json_each(t.image) e)`,
        target: (person, name) => writeOwnHideSql(sql.ref('t.target'), person, name),
      },
    }),
    makePlace({
      table: 'webhook_headers',
      title: 'Headers of webhook calls',
      phase: 'texts',
      key: 'delivery',
      rows: selectByDeliveries,
      erasure: 'delete',
    }),
    makePlace({
      table: 'webhook_deliveries',
      title: 'Answers to webhook calls',
      phase: 'texts',
      after: ['webhook_payloads', 'webhook_headers'],
      rows: selectByTexts(),
      shown: ['id', 'message', 'event', 'status', 'response_status', 'response_body', ...DATES],
      onPage: ['created', 'event', 'status', 'response_status', 'response_body'],
      erasure: { response_body: ANSWER_DELETED },
    }),
    makePlace({
      isShared: true,
      table: 'webhooks',
      title: 'Webhooks for texts of the number',
      rows: ({ user, forms }) =>
        sql`(t."user" = ${user} and string_to_array(t.numbers, ',') && ${forms}::text[])`,
      shown: ['id', 'url'],
      onPage: ['url'],
      erasure: {
        numbers: ({ forms }) => sql`array_to_string(array(
          select n from unnest(string_to_array(t.numbers, ',')) n where not n = ${matchAny(forms)}), ',')`,
        // without any number it would be called for all texts
        enabled: ({ forms }) =>
          sql`t.enabled and not string_to_array(t.numbers, ',') <@ ${forms}::text[]`,
      },
      logged: { numbers: '' },
    }),
  ],
  mentions: [
    {
      paged: 'webhook_deliveries',
      mentions: [
        { table: 'webhook_payloads', columns: ['image', 'target'], ...BY_DELIVERY },
        { table: 'webhook_headers', columns: ['headers'], ...BY_DELIVERY },
        makeRecordMention('webhook_deliveries', ['response_body']),
        { table: 'webhook_dispatch', columns: ['target'], ...BY_DELIVERY },
      ],
    },
  ],
  noPlaces: {
    webhook_dispatch: 'calls that wait, until they end: mentions in their addresses are hidden',
    webhook_rotations: 'times',
  },
}
