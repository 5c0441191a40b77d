import { sql } from 'kysely'
import { type Store, SUPERUSERS } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { objectsOf, type TableRow } from '../../db/statement.ts'
import { ApiError } from '../../errors.ts'
import { deleteRecords } from '../../records/cascade.ts'
import { createRecord, updateRecord } from '../../records/write.ts'
import { serverRequest } from '../../request/request.ts'
import { updateRecords } from '../../sms/status.ts'
import type { Call } from './account.ts'
import {
  API_VERSION,
  accountPath,
  idOf,
  invalid,
  notFound,
  readAddress,
  readPage,
  readRows,
  sidOf,
  twilioDate,
} from './wire.ts'

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
  const id = idOf('PN', sid)
  const find = () => db.query(`${NUMBER_SQL} and d.id = $2`, [user, id], 'twilio number')
  const [number] = id ? objectsOf<NumberRow>(await find()) : []
  if (!number) throw notFound()
  return number
}

export const fetchNumber = async ({ store, user, sid }: Call) =>
  renderNumber(await findNumber(store, user, sid), user)

function renderNumber(row: NumberRow, user: string) {
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
    uri: `${accountPath(user)}/IncomingPhoneNumbers/${sid}.json`,
    ...FIXED,
  }
}

export interface NumberSender {
  readonly device: string
  /** The line (SIM) with the number if the device has several lines; '' if it has one. */
  readonly line: string
}

/** Devices with this number or a line that has it. `line`: that line, if the device has other ones. */
const findSenders = (db: Db, user: string, number: string) =>
  queries(db)
    .selectFrom('devices as d')
    .leftJoin('lines as l', (join) =>
      join
        .onRef('l.device', '=', 'd.id')
        .on('l.number', '=', number)
        .on('l.enabled', '=', true)
        .on('l.present', '=', true),
    )
    .distinctOn('d.id')
    .select(['d.id as device', ({ eb }) => eb('d.phone', '=', number).as('isOwn')])
    .select(
      sql<string>`case when exists (
        select from lines o where o.device = d.id and o.id <> l.id) then l.id else '' end`.as('line'),
    )
    .where('d.user', '=', user)
    .where('d.enabled', '=', true)
    .where(({ or, eb }) => or([eb('d.phone', '=', number), eb('l.id', 'is not', null)]))
    .orderBy('d.id')
    .orderBy('l.slot')
    .execute()

/** Enabled devices with this number, else those with a line (SIM) that has it. Ordered by id. */
export async function sendersFrom({ db }: Store, user: string, number: string): Promise<NumberSender[]> {
  if (number === '') return []
  const found = await findSenders(db, user, number)
  const own = found.filter(({ isOwn }) => isOwn)
  return own.length > 0 ? own : found
}

/**
 * SQL: the account's own number in message `m`: the one stored there, else that of its chosen line, else that
 * of its device `d`, else ''.
 */
export const OWN_NUMBER = `coalesce(
  nullif(case m.message_type when 'incoming' then m."to" else m."from" end, ''),
  (select nullif(l.number, '') from sms_dispatch q join lines l on l.id = q.line
    where q.message = m.id and q.line_pinned and m."from" = ''),
  d.phone, '')`

const LIST = `${NUMBER_SQL} and ($2 = '' or d.phone = $2) and ($3 = '' or d.name = $3)`

/** The user's numbers in pages, newest first. Throws TwilioRefusal 20001, or 21481 for a wrong page token. */
export async function listNumbers({ store, user, parameters }: Call) {
  const request = readPage(parameters, 'PN')
  const values = [user, parameters.get('PhoneNumber') ?? '', parameters.get('FriendlyName') ?? '']
  const path = `${accountPath(user)}/IncomingPhoneNumbers.json`
  const { rows, page } = await readRows<NumberRow>(store.db, path, ['devices', 'd'], LIST, values, request)
  return { ...page, incoming_phone_numbers: rows.map((row) => renderNumber(row, user)) }
}

const MAX_NAME = 255

/** Sets a number's name, `SmsUrl` and method. Throws 404, TwilioRefusal 21502 (URL), 20001 (other values). */
export async function changeNumber(call: Call) {
  const { services, store, user, sid, parameters } = call
  const { id } = await findNumber(store, user, sid)
  const [url, method] = [parameters.get('SmsUrl'), parameters.get('SmsMethod')?.toUpperCase() ?? '']
  const name = parameters.get('FriendlyName') ?? ''
  if (url) readAddress('SmsUrl', url, 21502, services.config.webhookAllowPrivate)
  if (!['', 'GET', 'POST'].includes(method)) throw invalid('SmsMethod must be GET or POST')
  if ([...name].length > MAX_NAME) throw invalid(`FriendlyName must have at most ${MAX_NAME} characters`)
  await store.db.transaction(async (db) => {
    const inside = { ...call, store: { db, catalog: store.catalog } }
    if (method !== '') await setMethod(db, id, method)
    if (name !== '') await rename(db, id, name)
    if (url !== undefined) await setUrl(inside, id, url)
  })
  return fetchNumber(call)
}

const setMethod = (db: Db, device: string, sms_method: string) =>
  queries(db)
    .insertInto('twilio_numbers')
    .values({ device, sms_method })
    .onConflict((found) => found.column('device').doUpdateSet({ sms_method }))
    .execute()

const rename = (db: Db, id: string, name: string) =>
  updateRecords(db, 'devices', (update) =>
    update.set({ name }).where('id', '=', id).where('name', '<>', name),
  )

/** Gives a device exactly one webhook in Twilio's form, with this address; none for ''. */
async function setUrl(call: Call, device: string, url: string) {
  const { services, store, user } = call
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
  const webhooks = store.catalog.find('webhooks')!
  if (deleted.length > 0) await deleteRecords(store, services.extensions, webhooks, deleted)
  if (url === '') return
  const values = { url, enabled: true, api_key: call.sentBy }
  const more = { user, format: 'twilio', device, events: ['message.received'] }
  await saveRecord(call, 'webhooks', hooks[0], hooks[0] ? values : { ...values, ...more }, invalid)
}

/**
 * Changes a record, or without an id creates one, with a superuser's rights. Returns it as JSON. `refusal`
 * makes the error for an invalid field.
 */
export async function saveRecord(
  { store, services: { extensions } }: Call,
  name: string,
  id: string | undefined,
  values: Record<string, unknown>,
  refusal: (why: string) => Error,
): Promise<string> {
  const collection = store.catalog.find(name)!
  const request = serverRequest(store.catalog.find(SUPERUSERS)!, values)
  try {
    if (id) return await updateRecord(store, extensions, collection, id, request)
    return await createRecord(store, extensions, collection, request)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    const [first] = Object.values(error.data)
    throw refusal(typeof first?.message === 'string' ? first.message : error.message)
  }
}
