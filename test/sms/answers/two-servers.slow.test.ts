import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Driver, DriverEvents, OutgoingText } from '../../../src/agent/driver.ts'
import { pair } from '../../../src/agent/pair.ts'
import { runAgent } from '../../../src/agent/run.ts'
import { MAX_ANSWERS_A_DAY } from '../../../src/sms/answers/answer.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

/** A phone whose texts come in at another one. */
class Phone implements Driver {
  readonly parallel = 5
  readonly sims
  readonly #number: string
  #events: DriverEvents | undefined
  peer: Phone | undefined

  constructor(number: string) {
    this.#number = number
    this.sims = [{ slot: 1, number }]
  }

  async start(events: DriverEvents) {
    this.#events = events
  }

  now = () => new Date()

  async send({ body }: OutgoingText) {
    this.peer!.#events!.received({ from: this.#number, body, sim: 1 }, this.now())
    return { outcome: 'sent' } as const
  }

  async stop() {}
}

/** A server with a user whose phone this is, and who answers each text. */
async function startInstallation(phone: Phone, folder: string, name: string) {
  const server = await startServerWithDevices()
  onTestFinished(() => server.stop())
  const user = await server.makeUser()
  const body = { user: user.id, enabled: true, match: 'any', body: `This is ${name}. We are closed` }
  expect((await user.call('POST', '/api/collections/auto_answers/records', body)).status).toBe(200)
  const { code } = (await user.call('POST', '/api/devices/pairing', {})).body
  const file = join(folder, name)
  await pair(server.url, code, { name, phone: '', platform: 'simulator' }, () => file)
  const ended = new AbortController()
  const running = runAgent(file, phone, () => {}, ended.signal)
  onTestFinished(async () => {
    ended.abort()
    await running.catch(() => {})
  })
  await expect.poll(async () => (await list(user, 'lines')).length).toBe(1)
  const { db } = server.server.services.store
  const queued = async () => Number((await db.query('select count(*) from _jobs')).rows[0]![0])
  const ofType = async (type: string) => (await list(user, 'sms_messages', `message_type="${type}"`)).length
  return { user, queued, sent: () => ofType('outgoing'), received: () => ofType('incoming') }
}

const list = async (user: Client, collection: string, filter = '') =>
  (
    await user.call(
      'GET',
      `/api/collections/${collection}/records?perPage=200&filter=${encodeURIComponent(filter)}`,
    )
  ).body.items as unknown[]

test('two servers that answer each other stop after the ceiling', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'two-servers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [first, second] = [new Phone('+4915111111111'), new Phone('+4915122222222')]
  first.peer = second
  second.peer = first
  const shop = await startInstallation(first, folder, 'shop')
  const office = await startInstallation(second, folder, 'office')
  const hello = { recipients: ['+4915122222222'], body: 'Are you open?' }
  expect((await shop.user.call('POST', '/api/sms/send', hello)).status).toBe(200)

  const state = async () => [
    await office.sent(),
    await shop.sent(),
    await office.received(),
    await shop.received(),
  ]
  const all = [MAX_ANSWERS_A_DAY, 1 + MAX_ANSWERS_A_DAY, 1 + MAX_ANSWERS_A_DAY, MAX_ANSWERS_A_DAY]
  await expect.poll(state, { timeout: 90_000, interval: 500 }).toEqual(all)
  // the last text has been looked at as well, and nothing came of it
  await expect.poll(async () => (await shop.queued()) + (await office.queued()), { timeout: 20_000 }).toBe(0)
  expect(await state()).toEqual(all)
}, 180_000)
