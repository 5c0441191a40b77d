import { sql } from 'kysely'
import {
  DATES,
  makePlace,
  makeRecordStep,
  makeSmallStep,
  matchNumber,
  type PersonalData,
} from '../base/personal-data.ts'

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
      erasure: 'delete',
    }),
    makePlace({
      table: 'contacts',
      title: 'Contact',
      rows: matchNumber('phone'),
      shown: ['id', 'name', 'phone', 'groups', 'opted_out', 'data', 'time_zone', ...DATES],
      erasure: 'records',
      logged: { name: '', phone: '', data: null },
    }),
    makePlace({
      table: 'person_requests',
      title: 'Former requests',
      rows: matchNumber(),
      shown: ['id', 'kind', 'number', 'reason', 'state', 'created', 'done_at'],
      erasure: { number: '', files: [] },
    }),
  ],
  mentions: [
    makeRecordStep('contacts', ['name', 'data']),
    makeRecordStep('contact_groups', ['name'], 'name'),
    makeRecordStep('person_requests', ['reason', 'error']),
    makeSmallStep('_jobs', ['payload', 'error'], 'id', 'holder'),
  ],
  noPlaces: { _stop_list: 'hashes', contact_groups: 'names and words of groups' },
}
