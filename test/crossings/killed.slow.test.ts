import { upsertSuperuser } from '../../src/engine/auth/superusers.ts'
import { createLogger } from '../../src/platform/log.ts'
import { openDb, runServer } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'
import { client, withDevices } from '../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../support/server/start.ts'
import { eachWay } from './each-way.ts'
import {
  handOut,
  nextNumber,
  nextWords,
  openCrossings,
  type Place,
  SETTINGS,
  type Shop,
  textsTo,
} from './ways-in.ts'

// A server is killed after the last of the answers of all ways: each text that was answered for leaves, once,
// at the next server.

const smtpPort = await freePort()
const env = {
  ...SETTINGS,
  HOST: '127.0.0.1',
  PORT: String(await freePort()),
  SMTP_PORT: String(smtpPort),
}
const config = await testConfig(env, 'prepared')

/** The shop and its phone, at a server that runs now. */
const moveTo = (url: string, { user, phone, ...shop }: Shop): Shop => ({
  ...shop,
  user: { ...client(url, user.id, user.token), email: user.email },
  phone: client(url, phone.id, phone.token),
})

test('every way keeps its promise when the server is killed right after its answers', {
  timeout: 300_000,
}, async () => {
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const before = await openCrossings(await withDevices(first), smtpPort)
  const cells = []
  for (const { title, way } of eachWay('killed'))
    cells.push({ title, way, shop: await before.makeShop() })
  await first.stop()

  const db = await openDb(config, createLogger(config))
  onTestFinished(() => db.close())
  const start = () => serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })
  const query = async (sql: string, params?: unknown[]) => (await db.query(sql, params)).rows
  const at = (url: string): Place => ({ ...before, url, query })

  const dying = await start()
  onTestFinished(dying.stop)
  const texts = await Promise.all(
    cells.map(async ({ title, way, shop }) => {
      const text = { to: nextNumber(), words: nextWords(), key: crypto.randomUUID() }
      const answer = await way.send(at(dying.url), moveTo(dying.url, shop), text)
      expect([title, answer.status < 300]).toEqual([title, true])
      return text
    }),
  )
  process.kill(dying.pid, 'SIGKILL')

  const second = await start()
  onTestFinished(second.stop)
  const left = await Promise.all(
    cells.map(async ({ title, way, shop }, i) => {
      const there = moveTo(second.url, shop)
      const { to } = texts[i]!
      await expect
        .poll(async () => (await textsTo(at(second.url), there, to)).length, { timeout: 60_000 })
        .toBe(1)
      const got = (await handOut(at(second.url), there)).filter((one) => one.to === to)
      return [title, got.length, way.hasLeft ? 0 : 1]
    }),
  )
  expect(left.filter(([, got, due]) => got !== due)).toEqual([])
})
