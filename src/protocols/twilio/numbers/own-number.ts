import type { Store } from '../../../collections/catalog.ts'

export interface NumberSender {
  readonly device: string
  /** The line of a device with several that has the number; '' where the device says all. */
  readonly line: string
}

/** The enabled devices with a number, or with an enabled line that has it. */
const FIND = `
select distinct on (d.id) d.id, d.phone = $2, case when exists (
    select from lines o where o.device = d.id and o.id <> l.id) then l.id else '' end
from devices d left join lines l on l.device = d.id and l.number = $2 and l.enabled and l.present
where d."user" = $1 and d.enabled and (d.phone = $2 or l.id is not null) order by d.id, l.slot`

/** What can send from a number: devices with it, else those with a line that has it. By id. */
export async function sendersFrom({ db }: Store, user: string, number: string): Promise<NumberSender[]> {
  if (number === '') return []
  const { rows } = await db.query(FIND, [user, number], 'twilio senders')
  const own = rows.filter(([, isOwn]) => isOwn === true)
  return (own.length > 0 ? own : rows).map(([device, , line]) => ({
    device: String(device),
    line: String(line),
  }))
}

/**
 * SQL: our number of message `m` of device `d`: that of its line, of the line it names, or the device's; ''
 * for none.
 */
export const OWN_NUMBER = `coalesce(
  nullif(case m.message_type when 'incoming' then m."to" else m."from" end, ''),
  (select nullif(l.number, '') from sms_dispatch q join lines l on l.id = q.line
    where q.message = m.id and q.line_pinned and m."from" = ''),
  d.phone, '')`
