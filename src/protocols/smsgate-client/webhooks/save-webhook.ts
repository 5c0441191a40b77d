import { grants } from '../../../auth/tokens/scopes.ts'
import { ApiError, badRequest } from '../../../errors.ts'
import { readJson } from '../../../http/body/json-body.ts'
import type { Ctx, Services } from '../../../http/context.ts'
import { scopeRequired } from '../../../http/middleware/sender.ts'
import { buildRequest } from '../../../http/request-info.ts'
import { type Attempt, retry } from '../../../http/retry.ts'
import { storeOf } from '../../../http/server/store-of.ts'
import { deleteRecord } from '../../../records/write/delete.ts'
import { createRecord, updateRecord } from '../../../records/write/write.ts'
import type { AuthRecord } from '../../../request/request.ts'
import { requireClient } from '../credentials.ts'
import { invalid } from '../invalid.ts'
import { SMSGATE_EVENTS, type SmsgateEvent } from './event.ts'
import { type ClientWebhook, findWebhook, readWebhookBody, webhooksOf } from './webhooks.ts'

const MAX_BODY_BYTES = 10_000

/** Adds a webhook, or replaces the one with its id, as a record under the usual rules. Throws 400. */
export async function saveWebhook(c: Ctx, services: Services): Promise<ClientWebhook> {
  await requireClient(c, services, 'webhooks:write') // before the body is read
  const body = readWebhookBody(await readJson(c, MAX_BODY_BYTES))
  const identify = () => identifyFor(c, services, body.event)
  const save = (auth: AuthRecord, attempt: Attempt) => writeWebhook(c, services, auth, body, attempt)
  // another request may have added one with this id since it was looked for
  const saved = await retry(services.store, identify, (auth, attempt) =>
    save(auth, attempt).catch((error: unknown) => {
      if (!(error instanceof ApiError && 'smsgate_id' in error.data)) throw error
      return save(auth, attempt)
    }),
  ).catch((error: unknown) => {
    throw asClientFault(error)
  })
  return { id: saved.smsgate_id, deviceId: body.device || null, url: saved.url, event: body.event }
}

/** The caller. A webhook for incoming texts hands out the inbox, so it needs that scope, too. */
async function identifyFor(c: Ctx, services: Services, event: SmsgateEvent): Promise<AuthRecord> {
  const { auth, scopes } = await requireClient(c, services, 'webhooks:write')
  if (SMSGATE_EVENTS[event] === 'message.received' && !grants(scopes, 'inbox:list'))
    throw scopeRequired('inbox:list')
  return auth
}

async function writeWebhook(
  c: Ctx,
  services: Services,
  auth: AuthRecord,
  { id, url, event, device }: ReturnType<typeof readWebhookBody>,
  attempt: Attempt,
): Promise<{ smsgate_id: string; url: string }> {
  const { extensions } = services
  const store = storeOf(c, services, auth)
  const webhooks = webhooksOf(store)
  const values = { user: auth.id, url, device, smsgate_event: event, smsgate_id: id, enabled: true }
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

/** The error of a record as one that names the field. */
function asClientFault(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== badRequest().status) return error
  const [field, fault] = Object.entries(error.data)[0] ?? []
  if (!field || !fault) return error
  return invalid(`${NAMES[field] ?? field}: ${String(fault.message)}`)
}

/** Deletes a webhook of the caller by the id that the client knows. One that is not there is no error. */
export async function deleteWebhook(c: Ctx, services: Services, id: string): Promise<void> {
  const { extensions } = services
  const identify = async () => (await requireClient(c, services, 'webhooks:delete')).auth
  await retry(services.store, identify, async (auth, attempt) => {
    const store = storeOf(c, services, auth)
    const known = await findWebhook(store, auth.id, id)
    if (!known) return
    await deleteRecord(store, extensions, webhooksOf(store), known, buildRequest(c, auth, {}), attempt)
  })
}
