import { SUPERUSERS } from '../../../collections/catalog.ts'
import { runForCount, runForTexts, statement, text } from '../../../db/statement.ts'
import { ApiError } from '../../../errors.ts'
import { deleteRecords } from '../../../records/write/cascade.ts'
import { createRecord, updateRecord } from '../../../records/write/write.ts'
import { serverRequest } from '../../../request/request.ts'
import { logChanged } from '../../../sms/status/status.ts'
import type { Call } from '../description.ts'
import { invalid, readAddress } from '../refusal.ts'
import { findNumber, renderNumber } from './number.ts'

const MAX_NAME = 255

/** Sets name, `SmsUrl` and its method, all or nothing. Throws 404, 20001, 21502. */
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
    if (method !== '') await runForCount(db, SET_METHOD, { device: id, method })
    const renamed = name === '' ? [] : await runForTexts(db, RENAME, { id, name })
    await logChanged(inside.store, 'devices', 'update', renamed)
    if (url !== undefined) await setUrl(inside, id, url)
  })
  return renderNumber(await findNumber(store, user, sid), user)
}

const SET_METHOD = statement('twilio set method', {})`
insert into twilio_numbers (device, sms_method) values (${text('device')}, ${text('method')})
on conflict (device) do update set sms_method = excluded.sms_method`

const RENAME = statement('twilio rename number', { id: 'string' })`
update devices set name = ${text('name')}, updated = pb_text(now())
where id = ${text('id')} and name <> ${text('name')} returning id`

const WEBHOOKS = statement('twilio webhooks', { id: 'string' })`
select id from webhooks where "user" = ${text('user')} and device = ${text('device')} and format = 'twilio' order by _rowid`

/** Gives a device exactly one webhook in Twilio's form, with this address; none for ''. */
async function setUrl({ services: { extensions }, store, user, apiKey }: Call, device: string, url: string) {
  const webhooks = store.catalog.find('webhooks')!
  // changes of one number run one at a time
  await store.db.query('select from devices where id = $1 for update', [device])
  const hooks = await runForTexts(store.db, WEBHOOKS, { user, device })
  const deleted = url === '' ? hooks : hooks.slice(1)
  if (deleted.length > 0) await deleteRecords(store, extensions, webhooks, deleted)
  if (url === '') return
  const known = hooks[0]
  const values = { url, enabled: true, api_key: apiKey }
  const more = { user, format: 'twilio', device, events: ['message.received'] }
  const request = serverRequest(store.catalog.find(SUPERUSERS)!, known ? values : { ...values, ...more })
  try {
    if (known) await updateRecord(store, extensions, webhooks, known, request)
    else await createRecord(store, extensions, webhooks, request)
  } catch (error) {
    throw error instanceof ApiError && error.status === 400 ? invalid(reasonOf(error)) : error
  }
}

/** The message for the first invalid field of a record. */
export function reasonOf({ data, message }: ApiError): string {
  const [first] = Object.values(data)
  return typeof first?.message === 'string' ? first.message : message
}
