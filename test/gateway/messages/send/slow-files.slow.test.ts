import { createServer } from 'node:http'
import { admission } from '../../../../src/platform/limits/shared-limits.ts'
import { servePicture } from '../../../support/pictures.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { listenLocally } from '../../../support/services/listen.ts'
import { until } from '../../../support/until.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// Files that arrive slowly take memory for the bytes that are there, and no place of another account.

const server = await startServerWithDevices({
  PUBLIC_URL: 'https://sms.example.com',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})
const { makeShop, claim, fetchLink } = openMmsServer(server)
const TO = '+4915112345678'
const pictures = await servePicture(SMALL)

/** A host that declares 20 MB, sends this many bytes and then no more. */
async function startSlowHost(bytes: number) {
  let sent = 0
  const host = createServer((_, res) => {
    res.writeHead(200, { 'content-length': String(20 << 20) })
    res.write(Buffer.concat([SMALL, Buffer.alloc(bytes)]).subarray(0, bytes), () => sent++)
  })
  return { ...(await listenLocally(host)), countSent: () => sent }
}

const shops = [await makeShop()]
while (shops.length < 15) shops.push(await makeShop())

/** Sends of all these accounts, four each, that wait for the rest of a file. */
async function keepWaiting(bytes: number) {
  const host = await startSlowHost(bytes)
  const sends = shops.flatMap(({ user }) =>
    Array.from({ length: 4 }, (_, i) => {
      const attachments = [`${host.url}/${i}.jpg`]
      return user.call('POST', '/api/sms/send', { recipients: [TO], attachments })
    }),
  )
  await until('all wait for the rest', () => host.countSent() === shops.length * 4)
  return { answers: Promise.all(sends) }
}

test.each([
  ['a few bytes', 1_000, 0],
  ['a megabyte', 1 << 20, 2 << 20],
])(
  'beside fifteen accounts whose files stop after %s, others send pictures',
  async (_, bytes, each) => {
    const shop = await makeShop()
    const hook = await must(shop.user, 'POST', '/api/collections/hooks/records', {
      user: shop.user.id,
      name: 'Alarm',
      preset: 'grafana',
      recipients: [TO],
      pictures_from: 'picture',
    })
    const before = admission.memory.taken
    const { answers } = await keepWaiting(bytes)
    expect(admission.memory.taken - before).toBeLessThanOrEqual(60 * each)
    const startMs = performance.now()
    const attachments = [`${pictures.url}/a.jpg`]
    expect(
      (await shop.user.call('POST', '/api/sms/send', { recipients: [TO], attachments })).status,
    ).toBe(200)
    const alarm = { title: 'Water', picture: `${pictures.url}/cellar.jpg` }
    await server.guest.call('POST', `/api/hooks/${hook.secret}`, alarm)
    expect(performance.now() - startMs).toBeLessThan(8_000)
    const claimed = await claim(shop.phone)
    expect(claimed).toHaveLength(2)
    for (const { attachments: files } of claimed)
      expect(await fetchLink(files[0].url)).toEqual(SMALL)
    // each slow send is refused at its end, and gives back what it took
    for (const answer of await answers) expect(answer.status).toBe(400)
    expect(admission.memory.taken).toBe(before)
  },
  60_000,
)

const [LARGE, HALF] = [(20 << 20) + 1, 11 << 20]
const endless = createServer(({ url = '' }, res) => {
  const bytes = url.startsWith('/half') ? HALF : LARGE
  res.writeHead(200, {
    'content-type': 'video/mp4',
    ...(url !== '/undeclared.mp4' && { 'content-length': bytes }),
  })
  res.end(Buffer.alloc(bytes))
})
const { url: endlessUrl } = await listenLocally(endless)

test.each<[string, readonly string[]]>([
  ['one that declares its size', ['large.mp4']],
  ['one that declares none', ['undeclared.mp4']],
  ['two together', ['half.mp4', 'half2.mp4']],
])(
  'files at addresses are refused that have more than 20 MiB, and nothing is stored (%s)',
  async (_, names) => {
    const { user } = await makeShop()
    const before = admission.memory.taken
    const attachments = names.map((name) => `${endlessUrl}/${name}`)
    const answer = await user.call('POST', '/api/sms/send', { recipients: [TO], attachments })
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/could not be fetched: it has more than/) },
    })
    expect(await must(user, 'GET', '/api/collections/sms_messages/records')).toMatchObject({
      totalItems: 0,
    })
    expect(admission.memory.taken).toBe(before)
  },
)
