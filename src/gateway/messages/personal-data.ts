import { sql } from 'kysely'
import { REASONS } from '../base/message-status.ts'
import {
  containsNumber,
  DATES,
  makePlace,
  makeRecordMention,
  makeRecordStep,
  type PersonalData,
  type PersonRows,
  selectByTexts,
  writePageCondition,
} from '../base/personal-data.ts'
import { SERVER_REFS } from '../base/server-refs.ts'

/** Keeps a reason of the server. One of a device may contain the number, or anything. */
const keepServerReason = (column: string) => () =>
  sql`case when ${sql.ref(`t.${column}`)} = any(${Object.values(REASONS)}::text[]) then ${sql.ref(`t.${column}`)} else '' end`

/** A text, or a batch of texts to the person alone. */
const selectByTextsOrBatch: PersonRows = (
  { number },
  texts,
) => sql`(t.ref = any(${texts}) or t.ref = any(array(
  select m.batch_id from sms_messages m where m.id = any(${texts}) and m.batch_id <> '' and not exists (
    select from sms_messages o where o.batch_id = m.batch_id and o."to" not in ('', ${number})))))`

export const MESSAGE_DATA: PersonalData = {
  places: [
    makePlace({
      table: 'sms_events',
      title: 'Steps of texts',
      phase: 'texts',
      rows: selectByTexts(),
      shown: ['message', 'status', 'attempt', 'detail', 'created'],
      onPage: ['created', 'status', 'detail'],
      erasure: { detail: keepServerReason('detail') },
      logged: { detail: '' },
    }),
    makePlace({
      table: 'sms_origins',
      title: 'Sends by other APIs',
      phase: 'texts',
      rows: selectByTextsOrBatch,
      key: 'ref',
      shown: ['ref', 'api', 'id', 'created'],
      erasure: { id: () => sql`t.ref`, data: '{}' },
    }),
    makePlace({
      table: 'sms_dispatch',
      title: 'Texts that wait',
      phase: 'texts',
      rows: selectByTexts(),
      key: 'message',
      shown: ['message', 'state', 'due_at', 'expires_at'],
      erasure: 'delete',
    }),
    makePlace({
      table: 'sms_messages',
      title: 'Texts',
      phase: 'texts',
      after: ['sms_events', 'sms_origins', 'sms_dispatch', '_files', 'webhook_deliveries'],
      rows: selectByTexts('id'),
      shown: [
        'id',
        'message_type',
        'status',
        'to',
        'from',
        'body',
        'subject',
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
      onPage: [
        'message_type',
        'created',
        'body',
        'subject',
        'attachments',
        'status',
        'error_message',
        'from',
        'to',
        'scheduled_at',
        'sent_at',
        'delivered_at',
        'sent_by',
        'device',
        'line',
      ],
      erasure: {
        to: () => sql`case t.message_type when 'outgoing' then '' else t."to" end`,
        from: () => sql`case t.message_type when 'incoming' then '' else t."from" end`,
        error_message: keepServerReason('error_message'),
        body: '',
        subject: '',
        // of a typed text it is a hash, by which a repeated report is recognized
        client_ref: () =>
          sql`case when starts_with(t.client_ref, ${SERVER_REFS.typed}) then t.client_ref else '' end`,
        attachments: [],
      },
      logged: {
        to: '',
        from: '',
        body: '',
        subject: '',
        error_message: '',
        client_ref: '',
        attachments: [],
      },
    }),
    makePlace({
      table: 'sms_idempotency',
      title: 'Answers to repeated requests',
      key: 'key',
      rows: (person) =>
        sql`(t."user" = ${person.user} and ${containsNumber(person, 'key', 'answer')})`,
      erasure: 'delete',
    }),
  ],
  mentions: [
    {
      paged: 'sms_messages',
      mentions: [
        makeRecordMention(
          'sms_messages',
          ['body', 'subject', 'error_message', 'client_ref'],
          'client_ref',
        ),
        {
          table: 'sms_origins',
          columns: ['id', 'data'],
          unique: 'id',
          key: 'ref',
          rows: (page) => sql`t.ref = any(array(
            select unnest(array[m.id, m.batch_id]) from sms_messages m where ${writePageCondition('m', page)}))`,
        },
      ],
    },
    makeRecordStep('sms_events', ['detail']),
    makeRecordStep('senders', ['name']),
    makeRecordStep('sms_templates', ['name']),
  ],
  noPlaces: {
    _texts_forgotten: 'ids of deleted texts, which are hashes',
    senders: 'people, keys and parts of the account that send',
    sms_messages_brief: 'statuses and times',
    sms_templates: 'texts that the account wrote for all recipients',
    sms_totals: 'counts',
    sms_turns: 'counts',
    sms_usage: 'counts',
  },
}
