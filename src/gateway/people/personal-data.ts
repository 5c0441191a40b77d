import { sql } from 'kysely'
import {
  DATES,
  type MentionStep,
  makePlace,
  makeRecordStep,
  makeSmallStep,
  matchNumber,
  type PersonalData,
} from '../base/personal-data.ts'

/** Waiting mails about faults of carriers. Numbers in a fault are hidden when it is stored, names are not. */
const ALARM_MAILS: MentionStep = {
  mentions: [
    {
      table: '_jobs',
      columns: ['payload', 'error'],
      key: 'id',
      byName: true,
      rows: ({ user }) => sql`(t.holder = ${user} and t.kind = 'alarm_mail')`,
    },
  ],
}

/** Contacts and requests, files of texts, and the words of all jobs. */
export const PEOPLE_DATA: PersonalData = {
  places: [
    makePlace({
      table: '_files',
      title: 'Files of texts',
      phase: 'texts',
      key: 'id',
      rows: (_, texts) =>
        sql`(t.collection = 'sms_messages' and t.thumb = '' and t.record = any(${texts}))`,
      shown: ['record', 'name', 'type', 'size', 'modified'],
      onPage: ['name', 'modified'],
      erasure: 'delete',
    }),
    makePlace({
      table: 'contacts',
      title: 'Contact',
      rows: matchNumber('phone'),
      shown: [
        'id',
        'name',
        'phone',
        'groups',
        'opted_out',
        'data',
        'time_zone',
        'labels',
        'person',
        ...DATES,
      ],
      onPage: [
        'name',
        'phone',
        'data',
        'groups',
        'labels',
        'opted_out',
        'time_zone',
        'created',
        'updated',
      ],
      erasure: 'records',
      logged: { name: '', phone: '', data: null },
    }),
    makePlace({
      table: 'person_requests',
      title: 'Former requests',
      rows: matchNumber(),
      shown: ['id', 'kind', 'number', 'reason', 'state', 'created', 'done_at'],
      onPage: ['kind', 'reason', 'state', 'asked_by', 'created', 'done_at'],
      erasure: { number: '', files: [] },
    }),
  ],
  mentions: [
    makeRecordStep('contacts', ['name', 'data']),
    makeRecordStep('contact_groups', ['name'], 'name'),
    makeRecordStep('person_requests', ['reason', 'error']),
    makeSmallStep('_jobs', ['payload', 'error'], 'id', 'holder'),
    ALARM_MAILS,
  ],
  noPlaces: {
    _stop_list: 'hashes',
    contact_fields: 'names and choices of fields',
    contact_groups: 'names and words of groups',
  },
}
