import { setTimeout as sleep } from 'node:timers/promises'
import { extendAllLeases } from '../../../../src/gateway/messages/queue/message-leases.ts'
import { sweepQueue } from '../../../../src/gateway/messages/queue/sweep-queue.ts'
import { endOldMessages } from '../../../../src/gateway/retention/end-old-messages.ts'
import { type Client, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { startReceiver } from '../../../support/services/receiver.ts'

// All that takes rows of several tables, at once and in any order: on a server whose connections do not wait
// in line.

const DURATION_MS = 8_000
/** A busy machine takes longer for so many. */
const MIN_CALLS = 60

const ENV = { WEBHOOK_ALLOW_PRIVATE: 'true', LEASE_SECONDS: '1', DATABASE_POOL: '16' }
const server = await startServerWithDevices(ENV)
const receiver = await startReceiver()

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
const shuffled = <T>(list: readonly T[]): T[] => list.toSorted(() => Math.random() - 0.5)
const soon = () => new Date(Date.now() + 300).toISOString()
const number = () => `+49151${10_000_000 + Math.floor(Math.random() * 60)}`

/** A user with two phones, two webhooks and a group; how it is used by everything at once. */
class Household {
  user!: Client
  phones: Client[] = []
  hooks: string[] = []

  async open(): Promise<this> {
    this.user = await server.makeUser()
    this.phones = [await server.pair(this.user), await server.pair(this.user)]
    for (const status of ['sent', 'failed']) {
      const events = [`message.${status}`, 'message.received']
      const body = { user: this.user.id, url: `${receiver.url}/${status}`, events }
      const made = await this.user.call('POST', '/api/collections/webhooks/records', body)
      this.hooks.push(made.body.id)
    }
    return this
  }

  send = (more: object = {}) => {
    const recipients = Array.from({ length: 5 }, number)
    return this.user.call('POST', '/api/sms/send', { recipients, body: 'Hello', ...more })
  }

  later = () => this.send({ scheduled_at: soon(), guarantee: 'at_least_once' })

  async work() {
    const phone = pick(this.phones)
    const { body } = await phone.call('POST', '/api/devices/claim', { limit: 20 })
    const items = shuffled(
      ((body.items ?? []) as { id: string; attempt: number }[]).flatMap(({ id, attempt }) => [
        {
          id,
          attempt,
          status: pick(['sent', 'failed', 'delivered']),
          not_sent: Math.random() < 0.2,
        },
        { id, attempt, status: 'delivered' },
      ]),
    ).map((item) => (item.status === 'failed' ? item : { ...item, not_sent: undefined }))
    if (items.length === 0) return { status: 200, body }
    await phone.call('POST', '/api/devices/report', { items: items.slice(0, 50) })
    return phone.call('POST', '/api/devices/report', { items: shuffled(items).slice(0, 50) })
  }

  receive = () => {
    const items = Array.from({ length: 8 }, (_, i) => ({
      from: number(),
      body: pick(['STOP', 'START', 'Hello']),
      received_at: new Date(1.7e12 + i).toISOString(),
    }))
    return pick(this.phones).call('POST', '/api/devices/incoming', { items: shuffled(items) })
  }

  async some(filter: string): Promise<string[]> {
    const query = new URLSearchParams({ filter, perPage: '5', sort: '@random' })
    const { body } = await this.user.call('GET', `/api/collections/sms_messages/records?${query}`)
    return ((body.items ?? []) as { id: string }[]).map(({ id }) => id)
  }

  async change() {
    const ids = await this.some('status = "pending"')
    const body = { scheduled_at: soon(), body: 'Changed' }
    const all = ids.map((id) => this.user.call('PATCH', `/api/sms/messages/${id}`, body))
    return (await Promise.all(all)).at(-1)
  }

  async putOff() {
    const { body } = await this.later()
    const path = `/api/sms/batches/${body.batch_id}/reschedule`
    return body.batch_id ? this.user.call('POST', path, { scheduled_at: soon() }) : undefined
  }

  async cancel() {
    const ids = await this.some('status = "assigned" || status = "pending" || status = "sending"')
    const all = ids.map((id) => this.user.call('POST', `/api/sms/messages/${id}/cancel`, {}))
    return (await Promise.all(all)).at(-1)
  }

  async remove() {
    const ids = await this.some('id != ""')
    const all = ids.map((id) =>
      this.user.call('DELETE', `/api/collections/sms_messages/records/${id}`),
    )
    return (await Promise.all(all)).at(-1)
  }

  async again() {
    const [id] = await this.some('status = "failed" && message_type = "outgoing"')
    return id ? this.user.call('POST', `/api/sms/messages/${id}/retry`, {}) : undefined
  }

  async exchange() {
    const [old] = this.phones
    const next = await server.pair(this.user)
    this.phones = [this.phones[1]!, next]
    return this.user.call('DELETE', `/api/collections/devices/records/${old!.id}`)
  }

  hook = () => {
    const path = `/api/collections/webhooks/records/${pick(this.hooks)}`
    return this.user.call('PATCH', path, { enabled: Math.random() < 0.7 })
  }

  resend = () =>
    this.user.call('POST', `/api/webhooks/${pick(this.hooks)}/resend-failed`, {
      since: '2020-01-01',
    })
}

const BY_APP = [
  'send',
  'send',
  'later',
  'change',
  'putOff',
  'cancel',
  'remove',
  'again',
  'hook',
  'resend',
] as const
const WORKS = [...BY_APP, 'work', 'work', 'receive', 'exchange'] as const

test('no request of many concurrent clients fails by a deadlock or conflict', {
  timeout: 60_000,
}, async () => {
  const { store, extensions } = server.server.services
  const end = Date.now() + DURATION_MS
  const houses = await Promise.all([
    new Household().open(),
    new Household().open(),
    new Household().open(),
  ])
  const faults: unknown[] = []
  let calls = 0
  receiver.behave((_, res) => res.writeHead(pick([200, 500])).end())
  const listening = new AbortController()
  await fetch(`${server.url}/api/realtime`, { signal: listening.signal })

  const repeat = async (work: () => Promise<unknown>, pauseMs = 0) => {
    for (; Date.now() < end || calls < MIN_CALLS; await sleep(pauseMs)) {
      const answer = (await work().catch((error: unknown) => ({
        status: 599,
        body: String(error),
      }))) as { status: number; body: unknown } | undefined
      calls++
      if (answer && answer.status >= 500 && answer.status !== 503) faults.push(answer)
    }
  }
  const retention = { mode: 'delete', days: 1 } as const
  await Promise.all([
    ...houses.flatMap((_, i) => WORKS.map((name) => repeat(() => houses[i]![name]()))),
    repeat(() => sweepQueue(store, 600), 20),
    repeat(() => extendAllLeases(store.db, 1), 100),
    repeat(() => endOldMessages(store, extensions, retention), 50),
    repeat(async () => {
      await store.db.query(
        `update sms_messages set updated = '2020-01-01 00:00:00.000Z' where id in
          (select id from sms_messages where status in ('sent', 'delivered', 'failed') limit 20 for update skip locked)`,
      )
    }, 100),
    repeat(async () => {
      const i = Math.floor(Math.random() * houses.length)
      const { user } = houses[i]!
      houses[i] = await new Household().open()
      return user.call('DELETE', `/api/collections/users/records/${user.id}`)
    }, 700),
  ])
  listening.abort()
  expect(faults).toEqual([])
  expect(calls).toBeGreaterThanOrEqual(MIN_CALLS)
})
