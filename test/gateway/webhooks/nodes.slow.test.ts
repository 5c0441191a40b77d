import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { computeWebhookLag } from '../../../src/gateway/webhooks/lease-deliveries.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer, type TestServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { serve } from '../../support/server/program.ts'
import { client, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'
import { startReceiver, verify } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'
import {
  allAre,
  deliveriesOf,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
} from '../../support/webhook-fixture.ts'

const silent = createLogger({ logLevel: 'silent' })

/** Settings of one database that several servers use in turn. */
async function lastingConfig() {
  const env = {
    DATA_DIR: temporaryFolder(),
    PORT: String(await freePort()),
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
  return testConfig(env, 'prepared')
}

/** Leases from before then count as expired, as they do by themselves after half a minute. */
const expire = ({ services }: TestServer, died: Date) =>
  services.store.db.query(
    `update webhook_dispatch set handed_at = now() - interval '1 hour' where handed_at < $1`,
    [died.toISOString()],
  )

async function startTwoNodes() {
  const fixture = await startWebhookFixture()
  return { fixture, two: await runServer(fixture.gateway.server.services.config, silent) }
}

test.concurrent('events committed before a crash are delivered after the restart', {
  timeout: 90_000,
}, async ({ onTestFinished }) => {
  const config = await lastingConfig()
  const receiver = await startReceiver()
  const first = await runServer(config, silent)
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const fixture = await withDevices(first)
  const user = await fixture.makeUser()
  const phone = await fixture.pair(user)
  const hook = await makeWebhook(user, receiver.url)
  await first.stop()

  receiver.behave(() => {}) // five calls are open when it dies, the others have not begun
  const program = await serve({
    PORT: String(config.port),
    HOST: config.host,
    DATA_DIR: config.dataDir,
    DATABASE_URL: config.databaseUrl ?? '',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'error',
  })
  const at = (who: { id: string; token: string }) => client(program.url, who.id, who.token)
  await sendAndReport(at(user), at(phone), 30, 'sent')
  await receiver.heard(5)
  process.kill(program.pid, 'SIGKILL')
  await program.stop()
  const died = new Date()

  receiver.answer(204)
  const again = await runServer(config, silent)
  onTestFinished(() => again.stop())
  await expire(again, died)
  const after = client(again.url, user.id, user.token)
  await allAre(after, 'delivered', 30_000)
  const ids = new Set(receiver.told.map(({ id }) => id))
  expect(ids.size).toBe(30)
  expect(receiver.told).toHaveLength(35)
  for (const told of receiver.told) verify(hook.secret, told)
})

test.concurrent('deliveries leased by a node that died are made by another node', async () => {
  const fixture = await startWebhookFixture()
  const { user, phone, receiver, store } = fixture
  receiver.answer(500)
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 3, 'sent')
  await until('an attempt', async () =>
    (await deliveriesOf(user)).every(({ attempts }) => attempts === 1),
  )
  receiver.answer(204)
  // as if a node had leased it an hour ago, and died
  await store.db.query(
    `update webhook_dispatch set handed_at = now() - interval '1 hour', due_at = now() - interval '1 hour'`,
  )
  expect(await computeWebhookLag(store)).toEqual({
    pending: 3,
    oldestSeconds: expect.closeTo(3600, -1),
  })
  await allAre(user)
  expect(receiver.told).toHaveLength(6)
  expect(await computeWebhookLag(store)).toEqual({ pending: 0, oldestSeconds: 0 })
})

test.concurrent('an outage of the database loses no delivery', async ({ onTestFinished }) => {
  const { databaseUrl } = await testConfig({}, 'prepared')
  const proxy = await makeBreakableProxy(databaseUrl!)
  await proxy.connect()
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: proxy.url,
    WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  const server = await runServer(config, silent)
  onTestFinished(async () => {
    await proxy.connect()
    await server.stop()
    await proxy.disconnect()
  })
  await upsertSuperuser(server.services.store, SUPERUSER.email, SUPERUSER.password)
  const fixture = await withDevices(server)
  const user = await fixture.makeUser()
  const phone = await fixture.pair(user)
  const receiver = await startReceiver()
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 3, 'sent')
  await receiver.heard(3)
  await proxy.disconnect()
  const isAway = async () => (await fetch(`${server.url}/api/ready`)).status === 503
  await until('the server notices', isAway)
  await proxy.connect()
  await until('the database is back', async () => (await deliveriesOf(user))?.length === 3)
  await sendAndReport(user, phone, 3, 'sent')
  await receiver.heard(6)
})

test.concurrent('two nodes make each call once', async () => {
  const { user, phone, receiver } = (await startTwoNodes()).fixture
  receiver.behave((_, res) => setTimeout(() => res.writeHead(204).end(), 20))
  const hook = await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 100, 'sent', 'delivered')
  await receiver.heard(200)
  await until('all are told', async () =>
    (await deliveriesOf(user)).every(
      ({ status, attempts }) => status === 'delivered' && attempts === 1,
    ),
  )
  expect(receiver.told).toHaveLength(200)
  expect(new Set(receiver.told.map(({ id }) => id)).size).toBe(200)
  expect(receiver.most()).toBeLessThanOrEqual(5)
  for (const told of receiver.told) verify(hook.secret, told)
})

test.concurrent("calls interrupted by a node's stop are made by the other node", async () => {
  const { fixture, two } = await startTwoNodes()
  const { user, phone, receiver } = fixture
  receiver.behave(() => {})
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 20, 'sent')
  await receiver.heard(5)
  await two.stop()
  receiver.answer(204)
  await allAre(user, 'delivered', 30_000)
  expect(new Set(receiver.told.map(({ id }) => id)).size).toBe(20)
})
