import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../src/collections/catalog/catalog-store.ts'
import type { Store } from '../../../src/collections/catalog.ts'
import { readConfig } from '../../../src/config.ts'
import { migrate } from '../../../src/db/schema/migrate.ts'
import { claimMessages } from '../../../src/sms/queue/claim.ts'
import { releaseDue } from '../../../src/sms/queue/release.ts'
import { Acceptor } from '../../../src/sms/send/accept.ts'
import { readSend } from '../../../src/sms/send/body.ts'
import { type SendServices, send } from '../../../src/sms/send/send.ts'
import { openTestDb } from '../../support/server/start.ts'

// What Ann and Ben see was recorded from the version that made the database. Ann's devices are `a`, and `b`,
// which has reported two SIMs; Ben's is `c`, which may take three texts a day and took two. The next turn of
// Ann's is b's.

const BEFORE = new URL('./before-lines.sql', import.meta.url)
const [ANN, BEN] = ['ann', 'ben'].map((name) => name.padEnd(15, '0')) as [string, string]
const pad = (device: string) => device.padEnd(15, '0')

let store: Store
let services: SendServices
let stop = async () => {}
beforeAll(async () => {
  const db = await openTestDb()
  await db.script(readFileSync(BEFORE, 'utf8'))
  await db.query('update device_handouts set at = now()')
  await migrate(db)
  const opened = await openStore(db)
  const config = readConfig({})
  store = opened
  services = { store, config, acceptor: new Acceptor(store, config) }
  stop = async () => {
    await opened.close()
    await db.close()
  }
})
afterAll(() => stop())

/** Device, slot, status and sender of the message. */
async function sendAs(user: string, body: object) {
  const { rows: users } = await store.db.query('select xmin::text from users where id = $1', [user])
  const sender = { user, version: String(users[0]![0]), key: null }
  const { answer } = await send(services, sender, readSend({ body: 'Hi', ...body }, new Date()))
  const { message_ids } = JSON.parse(answer) as { message_ids: string[] }
  const columns = 'left(device, 1), sim, status, "from"'
  const { rows } = await store.db.query(`select ${columns} from sms_messages where id = $1`, message_ids)
  return rows[0]
}

async function claim(name: string, user: string) {
  const device = { id: pad(name), user, phone: '', enabled: true, lastSeen: '', isLimited: name === 'c' }
  return (await claimMessages(store, device, 100, 120)).map(({ to, sim }) => [to, sim])
}

test('each device goes on as it did: one line that sends, by the SIM that the device chooses', async () => {
  const { rows } = await store.db.query(
    'select left(device, 1), slot, number, carrier, enabled, present, prefixes, daily_limit from lines order by device, slot',
  )
  expect(rows).toEqual([
    ['a', 0, '+4930100', '', true, true, '', 0],
    ['b', 0, '', '', true, true, '', 0],
    ['b', 1, '+4915111', 'One', false, true, '', 0],
    ['b', 2, '', 'Two', false, true, '', 0],
    ['c', 0, '', '', true, true, '', 0],
  ])
})

test('turns go on where they were, and a slot is told to any device', async () => {
  const sent = []
  for (const body of [{}, {}, { sim: 2 }, { sim: 1 }, { device_id: pad('b') }])
    sent.push(await sendAs(ANN, { recipients: ['+491009'], ...body }))
  expect(sent.map((message) => message?.slice(0, 3))).toEqual([
    ['b', 0, 'assigned'],
    ['a', 0, 'assigned'],
    ['b', 2, 'assigned'],
    ['a', 1, 'assigned'],
    ['b', 0, 'assigned'],
  ])
  // with those that waited from before
  expect(await claim('a', ANN)).toEqual([
    ['+491001', 0],
    ['+491003', 2],
    ['+491009', 0],
    ['+491009', 1],
  ])
  expect(await claim('b', ANN)).toEqual([
    ['+491002', 0],
    ['+491009', 0],
    ['+491009', 2],
    ['+491009', 0],
  ])
})

test('a message that was scheduled for a device leaves by it', async () => {
  await store.db.query(`update sms_dispatch set due_at = now() where state = 'pending' and "user" = $1`, [
    ANN,
  ])
  expect(await releaseDue(store.db, 600)).toEqual([pad('b')])
  expect(await claim('b', ANN)).toEqual([
    ['+491002', 0],
    ['+491009', 0],
    ['+491009', 2],
    ['+491009', 0],
    ['+491004', 1],
  ])
})

test("a device's own limit holds, with what it took before", async () => {
  await sendAs(BEN, { recipients: ['+492009'] })
  // two are held since before the update, one more is allowed
  await store.db.query(
    `update sms_dispatch set lease_until = now() + interval '1 minute' where state = 'sending'`,
  )
  expect(await claim('c', BEN)).toEqual([
    ['+492001', 0],
    ['+492002', 0],
    ['+492003', 0],
  ])
})

test('until the owner sets a limit: from then on it counts, with what was sent before', async () => {
  const { rows } = await store.db.query(
    `select count(*) from sms_messages where left(device, 1) = 'a' and "user" = $1`,
    [ANN],
  )
  expect(rows).toEqual([[4]])
  await store.db.query(`update lines set daily_limit = 1, enabled = true where device = $1 and slot = 0`, [
    pad('a'),
  ])
  const sent = []
  for (let i = 0; i < 4; i++) sent.push((await sendAs(ANN, { recipients: [`+49150${i}`] }))?.slice(0, 3))
  expect(sent.filter((message) => message?.[0] === 'a').length).toBeLessThanOrEqual(1)
  await store.db.query(`update lines set enabled = true where device = $1 and slot > 0`, [pad('b')])
  await store.db.query(`update lines set enabled = false where device = $1 and slot = 0`, [pad('b')])
  await sendAs(ANN, { recipients: ['+491600'], sim: 2 })
  expect((await claim('b', ANN)).at(-1)).toEqual(['+491600', 2])
})
