import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Device } from '../base/device-record.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import { belongsToDevice } from './phone-record.ts'

/** A period of time, its ends in ISO 8601. */
export interface Period {
  readonly since: string
  readonly until: string
}

/**
 * Asks phones (`device` '': all) to post what they received in a period. Returns how many phones were asked.
 */
export async function requestInbox(store: Store, user: string, device: string, period: Period) {
  const phones = await queries(store.db)
    .updateTable('smsgate_phones')
    .set({
      export_since: sql<Date>`least(export_since, ${period.since}::timestamptz)`,
      export_until: sql<Date>`greatest(export_until, ${period.until}::timestamptz)`,
    })
    .where('user', '=', user)
    .$if(device !== '', (query) => query.where('device', '=', device))
    .returning('device')
    .execute()
  const ids = phones.map((phone) => phone.device)
  wakeDevices(store.db, ids)
  return phones.length
}

/** Returns and deletes the period whose texts the phone shall post; undefined for none. */
export async function takeInboxRequest({ db }: Store, device: Device): Promise<Period | undefined> {
  const taken = await queries(db)
    .with('asked', (query) =>
      query
        .selectFrom('smsgate_phones')
        .select(['device', 'export_since', 'export_until'])
        .where(belongsToDevice(device))
        .where('export_since', 'is not', null)
        .forUpdate(),
    )
    .updateTable('smsgate_phones as p')
    .from('asked as a')
    .set({ export_since: null, export_until: null })
    .whereRef('p.device', '=', 'a.device')
    .returning([
      sql<number>`extract(epoch from a.export_since)::float8 * 1000`.as('since'),
      sql<number>`extract(epoch from a.export_until)::float8 * 1000`.as('until'),
    ])
    .executeTakeFirst()
  const isoDate = (ms: number) => new Date(Math.round(ms)).toISOString()
  return taken && { since: isoDate(taken.since), until: isoDate(taken.until) }
}
