import type { Store } from '../../engine/collections/catalog.ts'
import { type TableRow, toObjects } from '../../platform/db/execute-statement.ts'
import { formatTwilioDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { readPageRequest, readRows } from './list-pages.ts'
import { API_VERSION, makeAccountPath, makeSid, parseSid } from './sids.ts'
import { makeNotFoundError } from './twilio-errors.ts'

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

interface NumberRow
  extends Pick<TableRow<'devices'>, 'id' | 'phone' | 'name' | 'created' | 'updated'> {
  readonly smsUrl: string
  readonly smsMethod: 'GET' | 'POST'
}

/** SQL that reads those devices `d` of user $1 that have a phone number. */
const NUMBER_SQL = `
select d.id, d.phone, d.name, d.created, d.updated, coalesce((
    select w.url from webhooks w
    where w."user" = $1 and w.format = 'twilio' and w.device = d.id and w.enabled order by w._rowid limit 1
  ), '') as "smsUrl", coalesce(n.sms_method, 'POST') as "smsMethod"
from devices d left join twilio_numbers n on n.device = d.id
where d."user" || '' = $1 and d.phone <> ''`

/** A user's number by its SID. Throws 404. */
export async function findNumber({ db }: Store, user: string, sid: string): Promise<NumberRow> {
  const id = parseSid('PN', sid)
  const find = () => db.query(`${NUMBER_SQL} and d.id = $2`, [user, id], 'twilio number')
  const [number] = id ? toObjects<NumberRow>(await find()) : []
  if (!number) throw makeNotFoundError()
  return number
}

export const fetchNumber = async ({ store, user, sid }: Call) =>
  renderNumber(await findNumber(store, user, sid), user)

function renderNumber(row: NumberRow, user: string) {
  const [sid, account_sid] = [makeSid('PN', row.id), makeSid('AC', user)]
  return {
    sid,
    account_sid,
    phone_number: row.phone,
    friendly_name: row.name,
    sms_url: row.smsUrl,
    sms_method: row.smsMethod,
    date_created: formatTwilioDate(row.created),
    date_updated: formatTwilioDate(row.updated),
    uri: `${makeAccountPath(user)}/IncomingPhoneNumbers/${sid}.json`,
    ...FIXED,
  }
}

const LIST = `${NUMBER_SQL} and ($2 = '' or d.phone = $2) and ($3 = '' or d.name = $3)`

/** The user's numbers in pages, newest first. Throws TwilioRefusal 20001, or 21481 for a wrong page token. */
export async function listNumbers({ store, user, parameters }: Call) {
  const request = readPageRequest(parameters, 'PN')
  const values = [user, parameters.get('PhoneNumber') ?? '', parameters.get('FriendlyName') ?? '']
  const path = `${makeAccountPath(user)}/IncomingPhoneNumbers.json`
  const { rows, page } = await readRows<NumberRow>(
    store.db,
    path,
    ['devices', 'd'],
    LIST,
    values,
    request,
  )
  return { ...page, incoming_phone_numbers: rows.map((row) => renderNumber(row, user)) }
}
