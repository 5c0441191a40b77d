import { z } from 'zod'
import { grants } from '../../../auth/tokens/scopes.ts'
import type { Collection, Store } from '../../../collections/catalog.ts'
import { run, runForRow, statement, text } from '../../../db/statement.ts'
import { ApiError, badRequest } from '../../../errors.ts'
import { scopeRequired } from '../../../http/middleware/sender.ts'
import { buildRequest } from '../../../http/request-info.ts'
import { deleteRecord } from '../../../records/write/delete.ts'
import { createRecord, updateRecord } from '../../../records/write/write.ts'
import { checkShape, id, invalid, nonEmptyText } from '../../../sms/send/shape.ts'
import type { Call } from '../description.ts'
import { MAX_DEVICE_ID } from '../query.ts'
import { MAX_ID } from '../send-body.ts'
import { SMSGATE_EVENTS, type SmsgateEvent } from './event.ts'

const EVENTS = Object.keys(SMSGATE_EVENTS) as [SmsgateEvent, ...SmsgateEvent[]]

const EVENT_ERROR = `must be one of ${EVENTS.join(', ')}: this server tells of no other event`

/** The body of a request to add or replace a webhook. */
export const WEBHOOK_BODY = z
  .object({
    id: id(MAX_ID).nullish().describe('One that exists is replaced.'),
    url: nonEmptyText(2_000),
    event: z.enum(EVENTS, EVENT_ERROR),
    deviceId: id(MAX_DEVICE_ID).nullish().describe('Left out: all devices.'),
    device_id: id(MAX_DEVICE_ID).nullish().describe('The same, as some clients write it.'),
  })
  .meta({ id: 'SmsgateNewWebhook' })

const LIST = statement('smsgate webhooks', {
  ...{ id: 'string', deviceId: 'string?', url: 'string', event: 'string' },
})`
select smsgate_id as id, nullif(device, '') as "deviceId", url, smsgate_event as event from webhooks
where "user" = ${text('user')} and smsgate_event <> '' order by created, webhooks.id`

/** The webhooks of a user in SMSGate's form. `deviceId` null: all devices. */
export const listWebhooks = ({ db }: Store, user: string) => run(db, LIST, { user })

const FIND = statement('smsgate find webhook', { id: 'string' })`
select id from webhooks where "user" = ${text('user')} and smsgate_id = ${text('id')} and smsgate_id <> '' and smsgate_event <> ''`

const findWebhook = async ({ db }: Store, user: string, id: string) =>
  (await runForRow(db, FIND, { user, id }))?.id

/** The collection `webhooks`. Throws 400 if a superuser has removed its fields for SMSGate's form. */
function webhooksOf({ catalog }: Store): Collection {
  const webhooks = catalog.find('webhooks')
  const names = new Set(webhooks?.fields.map(({ name }) => name))
  if (webhooks && ['smsgate_event', 'smsgate_id', 'device'].every((name) => names.has(name))) return webhooks
  throw invalid('The collection webhooks of this server lacks the fields that these webhooks need')
}

/** Adds or replaces a webhook as a record. One for incoming texts needs `inbox:list`. Throws 400, 403. */
export async function saveWebhook(call: Call) {
  const body = checkShape(WEBHOOK_BODY, call.json)
  if (SMSGATE_EVENTS[body.event] === 'message.received' && !grants(call.scopes, 'inbox:list'))
    throw scopeRequired('inbox:list')
  const saved = await writeWebhook(call, body)
    .catch((error: unknown) => {
      // another request may have added this id meanwhile
      if (!(error instanceof ApiError && 'smsgate_id' in error.data)) throw error
      return writeWebhook(call, body)
    })
    .catch((error: unknown) => {
      throw asClientFault(error)
    })
  return {
    id: saved.smsgate_id,
    deviceId: body.deviceId || body.device_id || null,
    url: saved.url,
    event: body.event,
  }
}

async function writeWebhook(
  { c, services: { extensions }, store, auth, attempt }: Call,
  { id, url, event, deviceId, device_id }: z.output<typeof WEBHOOK_BODY>,
): Promise<{ smsgate_id: string; url: string }> {
  const webhooks = webhooksOf(store)
  const device = deviceId || device_id || ''
  const values = { user: auth.id, url, device, smsgate_event: event, smsgate_id: id ?? '', enabled: true }
  const request = buildRequest(c, auth, { ...values, events: ['message.sent'] })
  const known = id && (await findWebhook(store, auth.id, id))
  const text = known
    ? await updateRecord(store, extensions, webhooks, known, request, attempt)
    : await createRecord(store, extensions, webhooks, request, attempt)
  return JSON.parse(text)
}

/** Names of fields as clients know them. */
const NAMES: Readonly<Record<string, string>> = {
  device: 'deviceId',
  smsgate_event: 'event',
  smsgate_id: 'id',
}

/** Turns a record's validation error into a 400 that names the first wrong field as clients know it. */
function asClientFault(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== badRequest().status) return error
  const [field, fault] = Object.entries(error.data)[0] ?? []
  if (!field || !fault) return error
  return invalid(`${NAMES[field] ?? field}: ${String(fault.message)}`)
}

/** Deletes a webhook of the caller by the client's id. An unknown one is no error. */
export async function deleteWebhook({ c, services, store, auth, attempt }: Call, id: string): Promise<void> {
  const known = await findWebhook(store, auth.id, id)
  if (!known) return
  await deleteRecord(store, services.extensions, webhooksOf(store), known, buildRequest(c, auth, {}), attempt)
}
