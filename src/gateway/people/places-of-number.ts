import { sql } from 'kysely'
import { anyOf } from '../../platform/db/queries.ts'
import {
  DATES,
  listNames,
  names,
  ofConversation,
  type Place,
  place,
  withNumber,
  withoutNumber,
} from './place.ts'

/** Places of the person's number. An erasure empties them in this order, after the texts. */
export const PLACES_OF_NUMBER: readonly Place[] = [
  place({
    ...{ table: '_verify_codes', title: 'Codes that wait', key: 'verification' },
    rows: ({ user, forms }) => sql`(t.verification in (
      select v.id from verifications v where v."user" = ${user} and v."to" = ${anyOf(forms)}))`,
    erasure: 'delete',
  }),
  place({
    ...{ table: 'verifications', title: 'Codes', rows: withNumber('to') },
    shown: ['id', 'to', 'country', 'channel', 'status', 'attempts', 'sends', 'expires_at', ...DATES],
    erasure: {
      to: '',
      status: () => sql`case t.status when 'pending' then 'canceled' else t.status end`,
    },
    logged: { to: '' },
  }),
  place({
    ...{ table: 'auto_answers_sent', title: 'Automatic answers', rows: withNumber(), key: 'message' },
    shown: ['message', 'answer', 'at'],
    erasure: 'delete',
  }),
  place({
    ...{ table: 'line_recipients', title: 'Use of lines', key: 'line' },
    rows: ({ user, forms }) => sql`(t.number = ${anyOf(forms)} and t.line in (
      select l.id from lines l where l."user" = ${user}))`,
    erasure: 'delete',
  }),
  place({
    ...{ isShared: true, table: 'hooks', title: 'Hooks that text the number' },
    rows: (person) => sql`(t."user" = ${person.user} and ${listNames('recipients', person)})`,
    shown: ['id', 'name'],
    erasure: { recipients: withoutNumber('recipients') },
    logged: { recipients: [] },
  }),
  place({
    ...{ isShared: true, table: 'webhooks', title: 'Webhooks for texts of the number' },
    rows: ({ user, forms }) =>
      sql`(t."user" = ${user} and string_to_array(t.numbers, ',') && ${forms}::text[])`,
    shown: ['id', 'url'],
    erasure: {
      numbers: ({ forms }) => sql`array_to_string(array(
        select n from unnest(string_to_array(t.numbers, ',')) n where not n = ${anyOf(forms)}), ',')`,
      // without any number it would be called for all texts
      enabled: ({ forms }) => sql`t.enabled and not string_to_array(t.numbers, ',') <@ ${forms}::text[]`,
    },
    logged: { numbers: '' },
  }),
  place({
    ...{ table: 'conversation_drafts', title: 'Drafts', rows: ofConversation },
    shown: ['id', 'author', 'text', ...DATES],
    erasure: 'records',
    logged: { text: '' },
  }),
  place({
    ...{ table: 'conversation_notes', title: 'Notes', rows: ofConversation },
    shown: ['id', 'author', 'text', ...DATES],
    erasure: 'records',
    logged: { text: '' },
  }),
  place({
    ...{ table: 'conversations', title: 'Conversation', rows: withNumber() },
    shown: [
      'id',
      'number',
      'name',
      'last_text',
      'last_at',
      'failure',
      'blocked',
      'archived',
      'assignee',
      ...DATES,
    ],
    erasure: 'records',
    logged: { number: '', name: '', last_text: '', failure: '' },
  }),
  place({
    ...{ table: 'consent_states', title: 'Present consent', rows: withNumber() },
    shown: ['id', 'number', 'group', 'purpose', 'state', 'since', 'until'],
    erasure: 'delete',
    logged: { number: '' },
  }),
  place({
    ...{ table: 'consents', title: 'Statements of consent' },
    rows: withNumber(),
    shown: [
      ...['id', 'number', 'purpose', 'group', 'event', 'source', 'shown', 'version', 'said', 'message'],
      ...['address', 'browser', 'given_at', 'created'],
    ],
    erasure: 'delete',
    logged: { number: '', said: '', address: '', browser: '' },
  }),
  place({
    ...{ table: 'contacts', title: 'Contact', rows: withNumber('phone') },
    shown: ['id', 'name', 'phone', 'groups', 'opted_out', 'data', 'time_zone', ...DATES],
    erasure: 'records',
    logged: { name: '', phone: '', data: null },
  }),
  place({
    ...{ table: 'sms_idempotency', title: 'Answers to repeated requests', key: 'key' },
    rows: (person) => sql`(t."user" = ${person.user} and ${names(person, 'key', 'answer')})`,
    erasure: 'delete',
  }),
  place({
    ...{ table: 'person_requests', title: 'Former requests', rows: withNumber() },
    shown: ['id', 'kind', 'number', 'reason', 'state', 'created', 'done_at'],
    erasure: { number: '', files: [] },
  }),
]
