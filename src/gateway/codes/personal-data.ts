import { sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import { DATES, makePlace, matchNumber, type PersonalData } from '../base/personal-data.ts'

export const CODE_DATA: PersonalData = {
  places: [
    makePlace({
      table: '_verify_codes',
      title: 'Codes that wait',
      key: 'verification',
      rows: ({ user, forms }) => sql`(t.verification in (
        select v.id from verifications v where v."user" = ${user} and v."to" = ${matchAny(forms)}))`,
      erasure: 'delete',
    }),
    makePlace({
      table: 'verifications',
      title: 'Codes',
      after: ['_verify_codes'],
      rows: matchNumber('to'),
      shown: [
        'id',
        'to',
        'country',
        'channel',
        'status',
        'attempts',
        'sends',
        'expires_at',
        ...DATES,
      ],
      onPage: ['created', 'status', 'attempts', 'expires_at'],
      erasure: {
        to: '',
        status: () => sql`case t.status when 'pending' then 'canceled' else t.status end`,
      },
      logged: { to: '' },
    }),
  ],
  noPlaces: { verify_services: 'settings of the account' },
}
