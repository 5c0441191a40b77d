import type { Store } from '../../engine/collections/catalog.ts'
import { deleteAuditedRecords } from '../../gateway/messages/audited-records.ts'
import { type TableRow, toObjects } from '../../platform/db/execute-statement.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { formatTwilioDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { readPageRequest, readRows } from './list-pages.ts'
import { readAddress } from './parameters.ts'
import { saveRecord } from './save-record.ts'
import { API_VERSION, makeAccountPath, makeSid, parseSid } from './sids.ts'
import { makeInvalidError, makeNotFoundError } from './twilio-errors.ts'

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
async function findNumber({ db }: Store, user: string, sid: string): Promise<NumberRow> {
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

const MAX_NAME = 255

/** Sets a number's name, `SmsUrl` and method. Throws 404, TwilioRefusal 21502 (URL), 20001 (other values). */
export async function changeNumber(call: Call) {
  const { services, store, user, sid, parameters } = call
  const { id, name: before } = await findNumber(store, user, sid)
  const [url, method] = [parameters.get('SmsUrl'), parameters.get('SmsMethod')?.toUpperCase() ?? '']
  const name = parameters.get('FriendlyName') ?? ''
  if (url) readAddress('SmsUrl', url, 21502, services.config.webhookAllowPrivate)
  if (!['', 'GET', 'POST'].includes(method)) throw makeInvalidError('SmsMethod must be GET or POST')
  if ([...name].length > MAX_NAME)
    throw makeInvalidError(`FriendlyName must have at most ${MAX_NAME} characters`)
  await store.db.transaction(async (db) => {
    const inside = { ...call, store: { db, catalog: store.catalog } }
    if (method !== '') await setCallbackMethod(db, id, method)
    if (name !== '' && name !== before)
      await saveRecord(inside, 'devices', id, { name }, makeInvalidError)
    if (url !== undefined) await setCallbackUrl(inside, id, url)
  })
  return fetchNumber(call)
}

const setCallbackMethod = (db: Db, device: string, sms_method: string) =>
  queries(db)
    .insertInto('twilio_numbers')
    .values({ device, sms_method })
    .onConflict((found) => found.column('device').doUpdateSet({ sms_method }))
    .execute()

/** Gives a device exactly one webhook in Twilio's form, with this address; none for ''. */
async function setCallbackUrl(call: Call, device: string, url: string) {
  const { store, user } = call
  // changes of one number run one at a time
  await queries(store.db).selectFrom('devices').where('id', '=', device).forUpdate().execute()
  const found = await queries(store.db)
    .selectFrom('webhooks')
    .select('id')
    .where('user', '=', user)
    .where('device', '=', device)
    .where('format', '=', 'twilio')
    .orderBy('_rowid')
    .execute()
  const hooks = found.map(({ id }) => id)
  const deleted = url === '' ? hooks : hooks.slice(1)
  await deleteAuditedRecords(call, 'webhooks', deleted)
  if (url === '') return
  const values = { url, enabled: true, api_key: call.sentBy }
  const more = { user, format: 'twilio', device, events: ['message.received'] }
  await saveRecord(
    call,
    'webhooks',
    hooks[0],
    hooks[0] ? values : { ...values, ...more },
    makeInvalidError,
  )
}
