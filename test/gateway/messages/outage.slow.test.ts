import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { extendAllLeases } from '../../../src/gateway/messages/queue/message-leases.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import type { Config } from '../../../src/platform/config.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb, runServer, type TestServer } from '../../support/database/open.ts'
import { type Client, client, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'

const silent = createLogger({ logLevel: 'silent' })
let folder: string
let config: Config
let server: TestServer
let user: Client
let phone: Client
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pocketsms-outage-'))
  config = await testConfig({ DATA_DIR: folder, LEASE_SECONDS: '20' })
  server = await runServer(config, silent)
  await upsertSuperuser(server.services.store, SUPERUSER.email, SUPERUSER.password)
  const fixture = await withDevices(server)
  user = await fixture.makeUser()
  phone = await fixture.pair(user)
  const body = { recipients: ['+4915112345678'], body: 'Hello' }
  expect((await user.call('POST', '/api/sms/send', body)).status).toBe(200)
})
afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The server is away while leases end, and comes back. */
async function miss(): Promise<void> {
  await server.stop()
  const db = await openDb(config, silent)
  await db.query(`update sms_dispatch set lease_until = now() - interval '1 second'`)
  await db.close()
  server = await runServer(config, silent)
  ;[user, phone] = [
    client(server.url, user.id, user.token),
    client(server.url, phone.id, phone.token),
  ]
  const { db: own } = server.services.store
  const isExtended = async () =>
    (await own.query('select lease_until > now() from sms_dispatch')).rows
  await expect.poll(isExtended).toEqual([[true]])
}

const statusOf = async () =>
  (await user.call('GET', '/api/collections/sms_messages/records')).body.items[0].status

test('after an outage a phone with the app is asked again, and its report counts', async () => {
  const [{ id }] = (await phone.call('GET', '/api/mobile/v1/message')).body
  await miss()
  expect(await statusOf()).toBe('sending')
  const again = (await phone.call('GET', '/api/mobile/v1/message')).body
  expect(again.map((message: { id: string }) => message.id)).toEqual([id])
  const sent = [{ id, state: 'Sent', recipients: [], states: { Sent: new Date().toISOString() } }]
  expect((await phone.call('PATCH', '/api/mobile/v1/message', sent)).status).toBe(204)
  expect(await statusOf()).toBe('sent')
})

test('after an outage an agent gets its claimed message again with the same attempt', async () => {
  const claim = async () =>
    (await phone.call('POST', '/api/devices/claim', { limit: 10 })).body.items
  const [{ id, attempt }] = await claim()
  await miss()
  expect(await claim()).toEqual([expect.objectContaining({ id, attempt })])
  const items = [{ id, attempt, status: 'sent' }]
  expect((await phone.call('POST', '/api/devices/report', { items })).body.items[0].result).toBe(
    'applied',
  )
})

test('a device that stays silent after the extended lease has its message failed', async () => {
  await phone.call('POST', '/api/devices/claim', { limit: 10 })
  const { store } = server.services
  // at once: the server sweeps, too
  await store.db.transaction(async (db) => {
    await db.query(`update sms_dispatch set lease_until = now() - interval '1 hour'`)
    await extendAllLeases(db, 4)
  })
  await sweepQueue(store, 600)
  expect(await statusOf()).toBe('sending')
  await expect
    .poll(async () => {
      await sweepQueue(store, 600)
      return statusOf()
    })
    .toBe('failed')
})
