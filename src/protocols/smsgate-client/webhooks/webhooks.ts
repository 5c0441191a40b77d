import { z } from 'zod'
import type { Store } from '../../../collections/catalog.ts'
import type { Collection } from '../../../collections/collection.ts'
import { checkShape, id, nonEmptyText } from '../../../sms/send/shape.ts'
import { invalid } from '../invalid.ts'
import { MAX_DEVICE_ID } from '../query.ts'
import { MAX_ID } from '../send-body.ts'
import { SMSGATE_EVENTS, type SmsgateEvent } from './event.ts'

/** Names of SMSGate's events that this server tells of. */
const EVENTS = Object.keys(SMSGATE_EVENTS) as [SmsgateEvent, ...SmsgateEvent[]]

/** A webhook as SMSGate's clients read it. */
export const CLIENT_WEBHOOK = z
  .object({
    id: z.string(),
    deviceId: z.string().nullable().describe('Null: all devices.'),
    url: z.string(),
    event: z.enum(EVENTS),
  })
  .meta({ id: 'SmsgateWebhook' })
export type ClientWebhook = z.output<typeof CLIENT_WEBHOOK>

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

/** Reads the body of such a request; '' for what is left out. Throws 400 that names the first wrong field. */
export function readWebhookBody(raw: unknown) {
  const { id, url, event, deviceId, device_id } = checkShape(WEBHOOK_BODY, raw)
  return { id: id ?? '', url, event, device: deviceId || device_id || '' }
}

const LIST = `
select smsgate_id, nullif(device, ''), url, smsgate_event from webhooks
where "user" = $1 and smsgate_event <> '' order by created, id`

/** The webhooks of a user that are called in SMSGate's form. */
export async function listWebhooks({ db }: Store, user: string): Promise<ClientWebhook[]> {
  const { rows } = await db.query(LIST, [user], 'smsgate webhooks')
  return rows.map((row) => {
    const [id, deviceId, url, event] = row as [string, string | null, string, SmsgateEvent]
    return { id, deviceId, url, event }
  })
}

const FIND = `
select id from webhooks where "user" = $1 and smsgate_id = $2 and smsgate_id <> '' and smsgate_event <> ''`

/** The record of a user's webhook that a client knows by this id. */
export async function findWebhook({ db }: Store, user: string, id: string): Promise<string | undefined> {
  const { rows } = await db.query(FIND, [user, id], 'smsgate find webhook')
  return rows[0] && String(rows[0][0])
}

/** The collection `webhooks`. Throws 400 if a superuser has removed its fields for SMSGate's form. */
export function webhooksOf({ catalog }: Store): Collection {
  const webhooks = catalog.find('webhooks')
  const names = new Set(webhooks?.fields.map(({ name }) => name))
  if (webhooks && ['smsgate_event', 'smsgate_id', 'device'].every((name) => names.has(name))) return webhooks
  throw invalid('The collection webhooks of this server lacks the fields that these webhooks need')
}
