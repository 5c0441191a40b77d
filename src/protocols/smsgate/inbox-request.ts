import type { Store } from '../../collections/catalog.ts'
import type { Device } from '../../sms/devices/device.ts'
import { notifyNodes } from '../../sms/queue/reassign.ts'
import { wakeDevices } from '../../sms/wake/wake.ts'

/** A period of time, its ends in ISO 8601. */
export interface Period {
  readonly since: string
  readonly until: string
}

const ASK = `
update smsgate_phones p set export_since = least(p.export_since, $3::timestamptz),
  export_until = greatest(p.export_until, $4::timestamptz)
where p."user" = $1 and ($2 = '' or p.device = $2) returning p.device`

/** Makes SMSGate phones post what they received in a period, once connected. Returns their number. */
export async function requestInbox(
  store: Store,
  user: string,
  device: string,
  { since, until }: Period,
): Promise<number> {
  const { rows } = await store.db.query(ASK, [user, device, since, until], 'smsgate ask for inbox')
  const phones = rows.map(([phone]) => String(phone))
  if (phones.length > 0) await notifyNodes(store.db, rows)
  wakeDevices(phones)
  return phones.length
}

const TAKE = `
with asked as (
  select device, export_since, export_until from smsgate_phones
  where device = $1 and "user" = $2 and export_since is not null for update
)
update smsgate_phones p set export_since = null, export_until = null from asked a
where p.device = a.device
returning extract(epoch from a.export_since)::float8 * 1000, extract(epoch from a.export_until)::float8 * 1000`

/** The period that a phone is to be asked for; undefined for none. It is not given twice. */
export async function takeInboxRequest({ db }: Store, device: Device): Promise<Period | undefined> {
  const { rows } = await db.query(TAKE, [device.id, device.user], 'smsgate take inbox request')
  if (!rows[0]) return undefined
  const [since, until] = rows[0].map((ms) => new Date(Math.round(Number(ms))).toISOString()) as [
    string,
    string,
  ]
  return { since, until }
}
