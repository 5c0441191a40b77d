import { createLogger } from '../../src/platform/log.ts'
import { openDb, runServer } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { nextVersion } from '../support/server/other-version.ts'
import { type RunningProgram, serve } from '../support/server/program.ts'
import {
  type Client,
  client,
  startServerWithDevices,
} from '../support/server/server-with-devices.ts'

// A server beside two of a newer version, with whose migration it cannot go on, on one database.

const BODY = { recipients: ['+4915112345678'], body: 'Hello' }
const REASON =
  'A newer version of pocketsms has migrated the database: this server must be replaced.'

const log = createLogger({ logLevel: 'silent' })
const version = nextVersion()
afterAll(() => version.remove())
const old = await startServerWithDevices()
const db = await openDb(old.server.services.config, log)
const user = await old.makeUser()
const device = await old.pair(user)
let newer: readonly RunningProgram[]

const ready = () => old.guest.call('GET', '/api/ready')
const send = (who: Client) => who.call('POST', '/api/sms/send', BODY)

/** The newer version, which migrates the database. */
async function startNewer(): Promise<RunningProgram> {
  const { databaseUrl } = old.server.services.config
  const port = String(await freePort())
  return serve({ DATABASE_URL: databaseUrl!, HOST: '127.0.0.1', PORT: port }, version.home)
}

test('an outdated server refuses all requests from the migration on, with the reason', async () => {
  const statuses: number[] = []
  let isOver = false
  const sending = (async () => {
    while (!isOver) statuses.push((await send(user)).status)
  })()
  // of two that start at once, one waits for the other's migration
  try {
    newer = await Promise.all([startNewer(), startNewer()])
    await expect.poll(async () => (await ready()).body.reason).toBe(REASON)
  } finally {
    isOver = true
    await sending
  }
  expect([...new Set(statuses)]).toEqual([200, 503])
  expect(statuses.lastIndexOf(200)).toBeLessThan(statuses.indexOf(503))

  expect((await ready()).status).toBe(503)
  const answer = await fetch(`${old.url}/api/sms/send`, { method: 'POST' })
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '5',
    { error: 'unavailable', message: REASON },
  ])
  expect((await device.call('POST', '/api/devices/claim', {})).status).toBe(503)
})

test('a second outdated server does not start', async () => {
  await expect(runServer(old.server.services.config, log)).rejects.toThrow(REASON)
})

test('the newer servers hand out the messages that the outdated server had accepted', async () => {
  const [one, two] = newer.map(({ url }) => url) as [string, string]
  expect((await send(client(one, user.id, user.token))).status).toBe(200)
  const phone = client(two, device.id, device.token)
  const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 10 })).body
  expect(items).toHaveLength(10)
  const { rows } = await db.query(`select count(*) from sms_messages m
    where not exists (select from sms_dispatch d where d.message = m.id and d.device <> '')`)
  expect(rows).toEqual([[0]])
  await Promise.all(newer.map((server) => server.stop()))
})

test('an outdated server works again on an older database, as after a restore', async () => {
  await db.script(
    `update _schema set oldest = 1; delete from _migrations where file like '%\\_next.sql'`,
  )
  await expect.poll(async () => (await ready()).status).toBe(200)
  expect((await send(user)).status).toBe(200)
})
