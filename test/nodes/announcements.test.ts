import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createLogger } from '../../src/platform/log.ts'
import { TestListener } from '../engine/realtime/test-listener.ts'
import { runServer } from '../support/database/open.ts'
import {
  deliveriesOf,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
} from '../support/webhook-fixture.ts'

const CHANNELS = [
  'changes',
  'pocketsms_webhooks',
  'pocketsms_jobs',
  'pocketsms_wake',
  'pocketsms_canceled',
  'test',
]

const world = await startWebhookFixture()
const { user, phone, store, gateway } = world
const { config } = gateway.server.services

/** Hears notifications of transactions, not of the connections that listen. `all`: those until the call. */
async function outsider() {
  const client = new pg.Client(config.databaseUrl!)
  onTestFinished(() => client.end())
  const heard: string[] = []
  await client.connect()
  const { rows } = await client.query(
    `select array_agg(pid) as pids from pg_stat_activity where application_name = 'pocketsms listen'`,
  )
  client.on('notification', ({ channel, payload, processId }) => {
    if (!rows[0].pids.includes(processId)) heard.push(`${channel} ${payload}`)
  })
  await client.query(CHANNELS.map((channel) => `listen ${channel}`).join('; '))
  return {
    client,
    async all() {
      const mark = randomUUID()
      await client.query('select pg_notify($1, $2)', ['test', mark])
      await expect.poll(() => heard).toContain(`test ${mark}`)
      return heard.splice(0).filter((word) => word !== `test ${mark}`)
    },
  }
}

test('sends, reports, webhooks and jobs send no NOTIFY inside their transactions', async () => {
  const outside = await outsider()
  const events = ['message.sent', 'message.delivered', 'message.received']
  const hook = await makeWebhook(user, world.receiver.url, { events })
  const ear = await TestListener.on(gateway.url, user.token, 'sms_messages')
  await sendAndReport(user, phone, 3, 'sent', 'delivered')
  const text = { from: '+4915112345678', body: 'Hello', received_at: new Date().toISOString() }
  await phone.call('POST', '/api/devices/incoming', { items: [text] })
  const { message_ids } = (
    await user.call('POST', '/api/sms/send', { recipients: [text.from], body: 'Hi' })
  ).body
  await user.call('POST', `/api/sms/messages/${message_ids[0]}/cancel`)
  await store.db.query(`insert into _jobs (kind, holder, key) values ('unknown', '', '')`)
  // 4 texts: created, and what became of them; one that came in
  await ear.next(3 * 4 + 1 + 2, { quietMs: 0 })
  await expect
    .poll(
      async () => (await deliveriesOf(user)).filter(({ status }) => status === 'delivered').length,
    )
    .toBe(7)
  expect(await outside.all()).toEqual([])
  const logged = await gateway.query('select distinct collection from _changes')
  for (const ignored of ['sms_events', 'sms_usage', 'webhook_deliveries'])
    expect(logged.flat()).not.toContain(ignored)
  const other = await TestListener.on(
    gateway.url,
    user.token,
    'sms_events',
    'sms_usage',
    'webhook_deliveries',
  )
  await sendAndReport(user, phone, 1, 'sent')
  const heard = (await other.next(5)).map(({ event, data }) => `${event} ${data.action}`).sort()
  const delivery = ['webhook_deliveries create', 'webhook_deliveries update']
  expect(heard).toEqual(['sms_events create', 'sms_events create', 'sms_usage update', ...delivery])
  // a connection of the release before, or of a command
  await outside.client.query('begin')
  await outside.client.query(`update _jobs set key = 'again' where kind = 'unknown'`)
  await outside.client.query(`insert into _jobs (kind, holder, key) values ('unknown', '', 'b')`)
  await outside.client.query('commit')
  expect(await outside.all()).toEqual(['pocketsms_jobs '])
  await store.db.query(`delete from _jobs where kind = 'unknown'`)
  await user.call('DELETE', `/api/collections/webhooks/records/${hook.id}`)
})

test('an announcement is heard once after the commit and never after a rollback', async () => {
  const heard: string[] = []
  onTestFinished(await store.db.listen('test', (payload) => heard.push(payload)))
  heard.length = 0
  const say = `select _announce('test', ''), _announce('test', ''), _announce('test', $1)`
  await store.db.transaction(async (db) => {
    await db.query(say, ['kept'])
    await db.query(say, ['too'])
    expect(heard).toEqual([])
  })
  expect(heard.splice(0)).toEqual(['', 'kept', 'too'])
  const failing = store.db.transaction(async (db) => {
    await db.query(say, ['never'])
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await expect(
    store.db.query(`select _announce('test', $1), 1 / (length($1) - 5)`, ['never']),
  ).rejects.toThrow()
  await store.db.query(say, ['last'])
  expect(heard).toEqual(['', 'last'])
})

test('another server hears all announcements', async () => {
  const other = await runServer(config, createLogger({ logLevel: 'silent' }))
  const heard: string[] = []
  await other.services.store.db.listen('test', (payload) => heard.push(payload))
  store.db.announce('test', 'one')
  store.db.announce('test', 'one')
  store.db.announce('test', 'two three')
  await expect.poll(() => heard).toEqual(['', 'one', 'two three'])
  await other.stop()
})
