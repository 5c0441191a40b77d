import type { Store } from '../../src/engine/collections/catalog.ts'
import { type Client, startServerWithDevices } from './server/server-with-devices.ts'
import { startReceiver } from './services/receiver.ts'
import { until } from './until.ts'

const ALL = ['message.sent', 'message.delivered', 'message.failed', 'message.received']

export interface TestWebhook {
  readonly id: string
  readonly secret: string
}

export type WebhookFixture = Awaited<ReturnType<typeof startWebhookFixture>>

/** A user with a phone and a receiver, over a server that may call it. */
export async function startWebhookFixture(env: Record<string, string> = {}) {
  const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true', ...env })
  const receiver = await startReceiver()
  const user = await gateway.makeUser()
  return {
    gateway,
    store: gateway.server.services.store,
    user,
    phone: await gateway.pair(user),
    receiver,
  }
}

/** A new webhook of a user. */
export async function makeWebhook(
  user: Client,
  url: string,
  values: object = {},
): Promise<TestWebhook> {
  const body = { user: user.id, url, events: ALL, ...values }
  const made = await user.call('POST', '/api/collections/webhooks/records', body)
  if (made.status !== 200) throw new Error(JSON.stringify(made.body))
  return made.body
}

/** Sends texts, has the phone claim them and say how they ended; their ids. */
export async function sendAndReport(
  user: Client,
  phone: Client,
  count: number,
  ...statuses: ('sent' | 'delivered' | 'failed')[]
): Promise<string[]> {
  const recipients = Array.from({ length: count }, (_, i) => `+4917${String(10_000_000 + i)}`)
  const sent = await user.call('POST', '/api/sms/send', { recipients, body: 'Hello.' })
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body))
  const { items } = (await phone.call('POST', '/api/devices/claim', { limit: count })).body
  for (const status of statuses) {
    const reports = items.map(({ id, attempt }: { id: string; attempt: number }) => ({
      id,
      attempt,
      status,
    }))
    const answer = await phone.call('POST', '/api/devices/report', { items: reports })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  }
  return sent.body.message_ids
}

/** Deliveries of a user as they are recorded, oldest first. */
export async function deliveriesOf(user: Client) {
  const path = '/api/collections/webhook_deliveries/records?perPage=500&sort=@rowid'
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  return (await user.call('GET', path)).body.items as any[]
}

/** Waits until all deliveries of a user are in a status, by default delivered. */
export const allAre = (user: Client, status = 'delivered', withinMs?: number): Promise<true> =>
  until(
    status,
    async () => (await deliveriesOf(user)).every((one) => one.status === status),
    withinMs,
  )

/** All that waits for its next attempt has waited long enough. */
export async function makeDeliveriesDue({ db }: Store): Promise<number> {
  const { rows } = await db.query(
    `with due as (
       update webhook_dispatch set due_at = now() where handed_at is null and due_at > now() returning 1
     )
     select count(*), pg_notify('pocketsms_webhooks', '') from due`,
  )
  return Number(rows[0]![0])
}
