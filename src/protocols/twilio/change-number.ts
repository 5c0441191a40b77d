import { deleteRecords } from '../../engine/records/cascade.ts'
import { updateRecords } from '../../gateway/base/message-status.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Call } from './identify-account.ts'
import { fetchNumber, findNumber } from './numbers.ts'
import { readAddress } from './parameters.ts'
import { saveRecord } from './save-record.ts'
import { makeInvalidError } from './twilio-errors.ts'

const MAX_NAME = 255

/** Sets a number's name, `SmsUrl` and method. Throws 404, TwilioRefusal 21502 (URL), 20001 (other values). */
export async function changeNumber(call: Call) {
  const { services, store, user, sid, parameters } = call
  const { id } = await findNumber(store, user, sid)
  const [url, method] = [parameters.get('SmsUrl'), parameters.get('SmsMethod')?.toUpperCase() ?? '']
  const name = parameters.get('FriendlyName') ?? ''
  if (url) readAddress('SmsUrl', url, 21502, services.config.webhookAllowPrivate)
  if (!['', 'GET', 'POST'].includes(method)) throw makeInvalidError('SmsMethod must be GET or POST')
  if ([...name].length > MAX_NAME)
    throw makeInvalidError(`FriendlyName must have at most ${MAX_NAME} characters`)
  await store.db.transaction(async (db) => {
    const inside = { ...call, store: { db, catalog: store.catalog } }
    if (method !== '') await setCallbackMethod(db, id, method)
    if (name !== '') await renameDevice(db, id, name)
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

const renameDevice = (db: Db, id: string, name: string) =>
  updateRecords(db, 'devices', (update) =>
    update.set({ name }).where('id', '=', id).where('name', '<>', name),
  )

/** Gives a device exactly one webhook in Twilio's form, with this address; none for ''. */
async function setCallbackUrl(call: Call, device: string, url: string) {
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
  await saveRecord(
    call,
    'webhooks',
    hooks[0],
    hooks[0] ? values : { ...values, ...more },
    makeInvalidError,
  )
}
