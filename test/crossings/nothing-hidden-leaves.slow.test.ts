import { upsertSuperuser } from '../../src/engine/auth/superusers.ts'
import { createLogger } from '../../src/platform/log.ts'
import { runServer } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { must, withDevices } from '../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../support/server/start.ts'
import { startReceiver } from '../support/services/receiver.ts'
import { isTried } from '../support/tries-all.ts'
import { until } from '../support/until.ts'
import { eachWay } from './each-way.ts'
import { handOut, openCrossings, PHONES_NUMBER, SETTINGS, sendOne, TOLD } from './ways-in.ts'

// What a text says is for its account and its person alone: no log has it and no other account. A picture
// leaves without what it has beside what it shows.

const lines: string[] = []
const smtpPort = await freePort()
const config = await testConfig(
  { ...SETTINGS, SMTP_PORT: String(smtpPort), LOG_LEVEL: 'trace' },
  'prepared',
)
const log = createLogger(config, { write: (line) => void lines.push(line) })
const running = await runServer(config, log)
await upsertSuperuser(running.services.store, SUPERUSER.email, SUPERUSER.password)
const at = await openCrossings(await withDevices(running), smtpPort)

/** Another account, which asks for all that it can. */
const ben = await at.server.makeUser()
const receiver = await startReceiver()
await must(ben, 'POST', '/api/collections/webhooks/records', {
  user: ben.id,
  url: receiver.url,
  events: ['message.sent', 'message.failed', 'message.received', 'message.delivered'],
})
const LISTS = ['sms_messages', 'sms_events', 'conversations', 'contacts', 'hook_calls', 'campaigns']

test.each(eachWay('hidden'))(
  'the words of a text by $title are in no log and in no data of another account',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = await sendOne(at, shop, way)
    const items = await handOut(at, shop)
    for (const { id, attempt } of items)
      await must(shop.phone, 'POST', '/api/devices/report', {
        items: [{ id, attempt, status: 'failed', error_message: `No route to ${text.to}` }],
      })
    const secrets = [text.words, text.to.slice(1), ...items.map(({ body }) => body)]
    const isTold = (said: string) => secrets.some((secret) => said.includes(secret))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter(isTold)).toEqual([])
    for (const name of LISTS) {
      const { status, body } = await ben.call('GET', `/api/collections/${name}/records?perPage=500`)
      expect([name, status, isTold(JSON.stringify(body))]).toEqual([name, 200, false])
    }
    expect((await ben.call('GET', `/api/sms/messages/${text.stored.id}`)).status).toBe(404)
  },
)

test('no webhook of another account hears of a text, and its own are heard of', async () => {
  const undelivered = () => at.query('select from webhook_dispatch')
  await until('the calls of all webhooks', async () => (await undelivered()).length === 0)
  expect(receiver.told).toEqual([])
  await at.server.hear(await at.server.pair(ben), [[PHONES_NUMBER, 'Hello Ben']])
  await until('the call of the webhook', async () => receiver.told.length > 0)
})

/** The type by which each file leaves. */
const LEAVING = {
  'menu.jpg': 'image/jpeg',
  'small.jpg': 'image/jpeg',
  'screen.png': 'image/png',
  'moving.gif': 'image/gif',
  'sticker.webp': 'image/jpeg',
  'film.mp4': 'video/mp4',
} as const

/** Each way, with its files: on a landing every other one, of the next way the others. */
const WITH_FILES = eachWay('hiddenInFiles').map((each, turn) => ({
  ...each,
  files: Object.entries(LEAVING).filter((_, i) => isTried(turn, i)),
}))

test.each(WITH_FILES)(
  'a picture by $title leaves without the data that no eye sees',
  async ({ way, files }) => {
    const shop = await at.makeShop()
    for (const [name, type] of files) {
      const photo = name as keyof typeof LEAVING
      const { to } = await sendOne(at, shop, way, { photo })
      const item = (await handOut(at, shop)).find((one) => one.to === to)!
      const links =
        item.attachments?.map(({ url }) => url) ?? item.body.match(/https:\S+\/f\/\S+/g) ?? []
      const isLeftOut = way.hasPicturesOnly && type.startsWith('video/')
      expect([name, links.length]).toEqual([name, isLeftOut ? 0 : 1])
      if (isLeftOut) continue
      const { pathname, search } = new URL(links[0]!)
      const answer = await fetch(at.url + pathname + search)
      expect(answer.headers.get('content-type')).toBe(type)
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(bytes.length).toBeGreaterThan(1_000)
      expect(TOLD[photo].filter((told) => bytes.includes(told, 0, 'latin1'))).toEqual([])
    }
  },
)
