import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { queries } from '../../platform/db/queries.ts'
import { findPhoneCountry } from '../../portable/phone/format-phone.ts'
import { needsCountry, readSender } from '../../portable/phone/incoming-sender.ts'
import { isPlainPhone } from '../../portable/phone/read-phone.ts'
import type { Device } from '../base/device-record.ts'

interface Received {
  readonly from: string
  readonly sim: number
}

/**
 * The texts with senders in E.164, as everything after it compares them with contacts and conversations.
 * Short codes, names, and numbers whose country is unknown stay as the device reported them.
 */
export async function completeSenders<T extends Received>(
  { db }: Pick<Store, 'db'>,
  device: Pick<Device, 'id' | 'user' | 'phone'>,
  texts: readonly T[],
): Promise<readonly T[]> {
  if (texts.every(({ from }) => isPlainPhone(from))) return texts
  const countryOf = texts.some(({ from }) => needsCountry(from))
    ? await loadSlotCountries(db, device)
    : () => ''
  return texts.map((text) => ({ ...text, from: readSender(text.from, countryOf(text.sim)) }))
}

/** The country of a slot: that of its SIM, its number, the device's number, or the account, in this order. */
export async function loadSlotCountries(
  db: Store['db'],
  { id: device, user, phone }: Pick<Device, 'id' | 'user' | 'phone'>,
) {
  const lines = await queries(db)
    .selectFrom(sql<object>`(select)`.as('one'))
    .leftJoin('lines as l', (join) => join.on('l.device', '=', device))
    .select(['l.slot', 'l.country', 'l.number'])
    .select(
      sql<string>`coalesce((select s.country from user_settings s where s."user" = ${user}), '')`.as(
        'account',
      ),
    )
    .execute()
  const known = lines.map(({ slot, country, number }) => ({
    slot,
    country: country || findPhoneCountry(number ?? ''),
  }))
  const all = new Set(known.map(({ country }) => country).filter((country) => country !== ''))
  const ofDevice = all.size === 1 ? [...all][0]! : findPhoneCountry(phone)
  return (sim: number): string =>
    known.find(({ slot }) => slot === sim && sim > 0)?.country || ofDevice || lines[0]!.account
}
