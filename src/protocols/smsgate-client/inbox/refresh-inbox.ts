import type { Scope } from '../../../auth/tokens/scopes.ts'
import type { Store } from '../../../collections/catalog.ts'
import { readJson } from '../../../http/body/json-body.ts'
import type { Ctx, Services } from '../../../http/context.ts'
import { sendRaw } from '../../../http/send-json.ts'
import { requestInbox } from '../../smsgate/inbox-request.ts'
import { requireClient } from '../credentials.ts'
import { invalid } from '../invalid.ts'
import { isoDate } from '../message-state.ts'
import { checkOwnDevice, deliverAgain, type InboxRefresh, readRefreshBody } from './inbox-refresh.ts'

const MAX_BODY_BYTES = 10_000

/** Reads inboxes of phones again, and tells webhooks of what is stored if the body says so. */
export async function refreshInbox(c: Ctx, services: Services): Promise<Response> {
  return run(c, await readRequest(c, services, 'inbox:refresh'))
}

/** The old form of the same, which always tells webhooks. */
export async function exportInbox(c: Ctx, services: Services): Promise<Response> {
  const asked = await readRequest(c, services, 'messages:export')
  c.header('Deprecation', 'true')
  return run(c, { ...asked, refresh: { ...asked.refresh, tellsWebhooks: true } })
}

interface Asked {
  readonly user: string
  readonly store: Store
  readonly refresh: InboxRefresh
}

async function readRequest(c: Ctx, services: Services, scope: Scope): Promise<Asked> {
  const { auth, store } = await requireClient(c, services, scope)
  const refresh = readRefreshBody(await readJson(c, MAX_BODY_BYTES))
  await checkOwnDevice(store, auth.id, refresh.device)
  return { user: auth.id, store, refresh }
}

async function run(c: Ctx, { user, store, refresh }: Asked): Promise<Response> {
  const { since, until, device, tellsWebhooks } = refresh
  // phones first: asked again after a failure, they hand in nothing twice, but webhooks would be told twice
  const phones = await requestInbox(store, user, device, { since: isoDate(since), until: isoDate(until) })
  if (tellsWebhooks) await deliverAgain(store, user, refresh)
  if (phones === 0 && !tellsWebhooks)
    throw invalid('webhookDelivery must be Individual: none of these devices is an SMSGate phone')
  // an empty body, or SMSGate's text, some clients cannot read
  return sendRaw(c, '{}', 202)
}
