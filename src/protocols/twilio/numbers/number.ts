import type { Store } from '../../../collections/catalog.ts'
import { objectsOf, run, statement, type TableRow, text } from '../../../db/statement.ts'
import type { Call } from '../description.ts'
import { readPage, readRows } from '../paging.ts'
import { API_VERSION, accountPath, idOf, notFound, sidOf, twilioDate } from '../refusal.ts'

/** The fields of Twilio's numbers that are the same for every device. */
const FIXED = {
  api_version: API_VERSION,
  origin: 'hosted',
  status: 'in-use',
  type: 'mobile',
  beta: false,
  address_requirements: 'none',
  emergency_status: 'Inactive',
  emergency_address_status: 'unregistered',
  voice_receive_mode: 'voice',
  voice_caller_id_lookup: false,
  capabilities: { fax: false, mms: false, sms: true, voice: false },
  sms_fallback_url: '',
  sms_fallback_method: 'POST',
  sms_application_sid: '',
  status_callback: '',
  status_callback_method: 'POST',
  voice_url: '',
  voice_method: 'POST',
  voice_fallback_url: '',
  voice_fallback_method: 'POST',
  voice_application_sid: '',
  trunk_sid: null,
  address_sid: null,
  identity_sid: null,
  bundle_sid: null,
  emergency_address_sid: null,
} as const

interface NumberRow extends Pick<TableRow<'devices'>, 'id' | 'phone' | 'name' | 'created' | 'updated'> {
  readonly smsUrl: string
  readonly smsMethod: 'GET' | 'POST'
}

/** SQL that reads the devices `d` of a user, $1, that have a number. */
const NUMBER_SQL = `
select d.id, d.phone, d.name, d.created, d.updated, coalesce((
    select w.url from webhooks w
    where w."user" = $1 and w.format = 'twilio' and w.device = d.id and w.enabled order by w._rowid limit 1
  ), '') as "smsUrl", coalesce(n.sms_method, 'POST') as "smsMethod"
from devices d left join twilio_numbers n on n.device = d.id
where d."user" || '' = $1 and d.phone <> ''`

/** The number of a user with this SID. Throws 404. */
export async function findNumber({ db }: Pick<Store, 'db'>, user: string, sid: string): Promise<NumberRow> {
  const id = idOf('PN', sid)
  const find = () => db.query(`${NUMBER_SQL} and d.id = $2`, [user, id], 'twilio number')
  const [number] = id ? objectsOf<NumberRow>(await find()) : []
  if (!number) throw notFound()
  return number
}

/** A device with a number as Twilio's API has it. */
export function renderNumber(row: NumberRow, user: string) {
  const [sid, account_sid] = [sidOf('PN', row.id), sidOf('AC', user)]
  return {
    sid,
    account_sid,
    phone_number: row.phone,
    friendly_name: row.name,
    sms_url: row.smsUrl,
    sms_method: row.smsMethod,
    date_created: twilioDate(row.created),
    date_updated: twilioDate(row.updated),
    uri: `${accountPath(account_sid)}/IncomingPhoneNumbers/${sid}.json`,
    ...FIXED,
  }
}

export interface NumberSender {
  readonly device: string
  /** The line with the number if the device has several lines, '' if it has one. */
  readonly line: string
}

const FIND = statement('twilio senders', { device: 'string', isOwn: 'boolean', line: 'string' })`
select distinct on (d.id) d.id as device, d.phone = ${text('number')} as "isOwn", case when exists (
    select from lines o where o.device = d.id and o.id <> l.id) then l.id else '' end as line
from devices d left join lines l on l.device = d.id and l.number = ${text('number')} and l.enabled and l.present
where d."user" = ${text('user')} and d.enabled and (d.phone = ${text('number')} or l.id is not null) order by d.id, l.slot`

/** Senders for a number: devices with it, else devices with a line that has it. By id. */
export async function sendersFrom({ db }: Store, user: string, number: string): Promise<NumberSender[]> {
  if (number === '') return []
  const found = await run(db, FIND, { user, number })
  const own = found.filter(({ isOwn }) => isOwn)
  return own.length > 0 ? own : found
}

/** SQL: our number in message `m` of device `d`: the message's, the named line's or the device's, or ''. */
export const OWN_NUMBER = `coalesce(
  nullif(case m.message_type when 'incoming' then m."to" else m."from" end, ''),
  (select nullif(l.number, '') from sms_dispatch q join lines l on l.id = q.line
    where q.message = m.id and q.line_pinned and m."from" = ''),
  d.phone, '')`

const LIST = `${NUMBER_SQL} and ($2 = '' or d.phone = $2) and ($3 = '' or d.name = $3)`

/** The user's numbers in pages, newest first. Throws 20001, 21481 for a wrong token. */
export async function listNumbers({ store, user, parameters }: Call) {
  const request = readPage(parameters, 'PN')
  const values = [user, parameters.get('PhoneNumber') ?? '', parameters.get('FriendlyName') ?? '']
  const path = `${accountPath(sidOf('AC', user))}/IncomingPhoneNumbers.json`
  const { rows, page } = await readRows<NumberRow>(store.db, path, ['devices', 'd'], LIST, values, request)
  return { ...page, incoming_phone_numbers: rows.map((row) => renderNumber(row, user)) }
}
