import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { grantsScope } from '../../engine/request/scopes.ts'
import {
  checkShape,
  makeIdSchema,
  makeRequiredTextSchema,
} from '../../gateway/base/body-schemas.ts'
import { findRecords } from '../../gateway/base/find-records.ts'
import { makeScopeError } from '../../gateway/base/permissions.ts'
import { deleteAsCaller, saveAuditedRecord } from '../../gateway/messages/audited-records.ts'
import type { FitWebhook } from '../../gateway/webhooks/webhook-extensions.ts'
import { ApiError } from '../../platform/api-errors.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import type { Call } from './define-route.ts'
import { MAX_ID } from './send-body.ts'
import { ensureSigningKey } from './signing-key.ts'
import { MAX_DEVICE_ID } from './smsgate-values.ts'
import { SMSGATE_EVENTS, type SmsgateEvent } from './webhook-form.ts'

/**
 * Completes a webhook's record. If in SMSGate's form, sets event and id and makes the user's signing key.
 */
export const fitSmsgateWebhook: FitWebhook = async (store, values) => {
  const { smsgate_event: event, smsgate_id: id } = values
  if (!event || !Object.hasOwn(SMSGATE_EVENTS, String(event))) {
    if (id) values.smsgate_id = ''
    return
  }
  values.events = [SMSGATE_EVENTS[event as SmsgateEvent]]
  values.smsgate_id = id || makeRandomId()
  await ensureSigningKey(store.db, String(values.user))
}

const EVENTS = Object.keys(SMSGATE_EVENTS) as [SmsgateEvent, ...SmsgateEvent[]]

const EVENT_ERROR = `must be one of ${EVENTS.join(', ')}: this server tells of no other event`

export const WEBHOOK_BODY = z
  .object({
    id: makeIdSchema(MAX_ID).nullish().describe('One that exists is replaced.'),
    url: makeRequiredTextSchema(2_000),
    event: z.enum(EVENTS, EVENT_ERROR),
    deviceId: makeIdSchema(MAX_DEVICE_ID)
      .nullish()
      .describe('Left out: all devices. Some clients write `device_id`, which is read, too.'),
  })
  .meta({ id: 'SmsgateNewWebhook' })

/** `device_id` beside `deviceId`. Not described: generators of clients give both the same name. */
const OTHER_NAMES = z.object({ device_id: makeIdSchema(MAX_DEVICE_ID).nullish() })

/** The webhooks of a user in SMSGate's form. `deviceId` null: all devices. */
export async function listWebhooks(call: Call) {
  const filter = 'smsgate_event != ""'
  const part = { filter, sort: 'created,id' }
  const { records } = await findRecords(call, 'webhooks', part)
  return records.map(({ smsgate_id: id, device, url, smsgate_event: event }) => {
    return { id, deviceId: device || null, url, event }
  })
}

async function findWebhook({ db }: Store, user: string, id: string): Promise<string | undefined> {
  const found = await queries(db)
    .selectFrom('webhooks')
    .select('id')
    .where('user', '=', user)
    .where('smsgate_id', '=', id)
    .where('smsgate_id', '<>', sql.lit(''))
    .where('smsgate_event', '<>', '')
    .executeTakeFirst()
  return found?.id
}

/** Throws 400 if a superuser has removed the fields of webhooks for SMSGate's form. */
function checkWebhookFields({ catalog }: Store): void {
  const names = new Set(catalog.find('webhooks')?.fields.map(({ name }) => name))
  if (['smsgate_event', 'smsgate_id', 'device'].every((name) => names.has(name))) return
  throw invalidRequest(
    'The collection webhooks of this server lacks the fields that these webhooks need',
  )
}

/** Adds or replaces a webhook. Throws 400 for a wrong field, 403 if the scope `inbox:list` is missing. */
export async function saveWebhook(call: Call) {
  const given = checkShape(WEBHOOK_BODY, call.json)
  const { device_id } = checkShape(OTHER_NAMES, call.json)
  const body = { ...given, deviceId: given.deviceId || device_id || null }
  if (SMSGATE_EVENTS[body.event] === 'message.received' && !grantsScope(call.scopes, 'inbox:list'))
    throw makeScopeError('inbox:list')
  const saved = await writeWebhook(call, body)
    .catch((error: unknown) => {
      // another request may have added this id meanwhile: then the second attempt replaces it
      if (!(error instanceof ApiError && 'smsgate_id' in error.data)) throw error
      return writeWebhook(call, body)
    })
    .catch((error: unknown) => {
      const [field, fault] =
        error instanceof ApiError && error.status === 400
          ? (Object.entries(error.data)[0] ?? [])
          : []
      if (!field || !fault) throw error
      // name the first wrong field as clients call it
      throw invalidRequest(`${NAMES[field] ?? field}: ${String(fault.message)}`)
    })
  return {
    id: saved.smsgate_id,
    deviceId: body.deviceId,
    url: saved.url,
    event: body.event,
  }
}

async function writeWebhook(
  call: Call,
  { id, url, event, deviceId }: z.output<typeof WEBHOOK_BODY>,
): Promise<{ smsgate_id: string; url: string }> {
  const { c, store, auth, attempt } = call
  checkWebhookFields(store)
  const device = deviceId ?? ''
  const values = {
    user: auth.id,
    url,
    device,
    smsgate_event: event,
    smsgate_id: id ?? '',
    enabled: true,
  }
  const request = c.env.incoming.describe(auth, { ...values, events: ['message.sent'] })
  const known = id && (await findWebhook(store, auth.id, id))
  return JSON.parse(
    await saveAuditedRecord(call, 'webhooks', known || undefined, values, request, attempt),
  )
}

/** SMSGate's names of our fields. */
const NAMES: Readonly<Record<string, string>> = {
  device: 'deviceId',
  smsgate_event: 'event',
  smsgate_id: 'id',
}

/**
 * Deletes a webhook of the caller. `id` is the one that SMSGate's clients use. An unknown one is no error.
 */
export async function deleteWebhook(call: Call): Promise<void> {
  const { c, store, auth, attempt, id } = call
  const known = await findWebhook(store, auth.id, id)
  if (!known) return
  checkWebhookFields(store)
  await deleteAsCaller(call, 'webhooks', known, c.env.incoming.describe(auth, {}), attempt)
}
