import { sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import { makePlace, type PersonalData } from '../base/personal-data.ts'

export const LINE_DATA: PersonalData = {
  places: [
    makePlace({
      table: 'line_recipients',
      title: 'Use of lines',
      key: 'line',
      rows: ({ user, forms }) => sql`(t.number = ${matchAny(forms)} and t.line in (
        select l.id from lines l where l."user" = ${user}))`,
      erasure: 'delete',
    }),
  ],
  noPlaces: {
    device_batteries: 'devices of the account',
    device_handouts: 'devices of the account',
    device_pairings: 'devices of the account',
    device_silences: 'devices of the account',
    device_streams: 'devices of the account',
    devices: 'devices of the account',
    line_costs: 'counts',
    line_use: 'counts',
    lines: 'the numbers of the account itself',
  },
}
