import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { fetchFiles } from '../../../src/gateway/carriers/receive-carrier-text.ts'
import { makeAccountHolder } from '../../../src/platform/limits/limit-holder.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { freePort } from '../../support/database/postgres.ts'
import {
  must,
  type ServerWithDevices,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { mms, mmsPoster, type SentFile } from '../../support/smsgate/mms.ts'
import { joinPhone } from '../../support/smsgate/smsgate-fixture.ts'
import { until } from '../../support/until.ts'

const port = await freePort()
const ownUrl = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }
const behind = await startServerWithDevices({ ...ownUrl, WEBHOOK_ALLOW_PRIVATE: 'true' })
const limits = { SMS_MAX_ATTACHMENT_BYTES: '100000', MAX_ACCOUNT_FILE_BYTES: '10000' }
const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true', ...limits })

const PATH = '/api/devices/carriers'
const ACCOUNT = { preset: 'pocketsms', url: 'https://carrier.example' }
const SECRET = `whsec_${randomBytes(24).toString('base64')}`
const CARD = Buffer.from('BEGIN:VCARD\r\nEND:VCARD\r\n')

/** A carrier of a new user, and its address for calls that SECRET signs. */
async function addCarrier(server: ServerWithDevices) {
  const user = await server.makeUser()
  const secrets = { secret: 'psk_1', webhook_secret: SECRET }
  const { device, callback } = await must(user, 'POST', PATH, { account: ACCOUNT, ...secrets })
  const url = server.url + new URL(callback).pathname
  const received = async () =>
    (await must(user, 'GET', '/api/collections/sms_messages/records')).items as {
      readonly id: string
      readonly body: string
      readonly attachments: string[]
    }[]
  return { user, device, url, received }
}

/** Calls a carrier's address as a pocketsms does that received the text m1. Returns the status. */
async function call(url: string, files: readonly object[], body = 'Look!'): Promise<number> {
  const data = { id: 'm1', from: '+4915112345678', to: '+4930123', body }
  const content = JSON.stringify({ type: 'message.received', data, files })
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'm1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('m1', at, content),
  }
  return (await fetch(url, { method: 'POST', headers, body: content })).status
}

/** A host of files. It answers /a.vcf with CARD, and other paths by `answers`. */
async function startHost(answers: Record<string, readonly [status: number, content: Buffer]> = {}) {
  const host = await startReceiver()
  host.behave(({ path }, response) => {
    const [status, content] = answers[path] ?? [200, CARD]
    response.writeHead(status, { location: '/elsewhere' }).end(content)
  })
  const file = (name: string, type = 'text/vcard') => ({
    name,
    type,
    size: 24,
    url: `${host.url}/${name}`,
  })
  return { ...host, file }
}

test('the files of an MMS at the account behind the carrier arrive', async () => {
  const { user, device, url, received } = await addCarrier(gateway)
  const upstream = await behind.makeUser()
  const hook = { user: upstream.id, url, events: ['message.received'] }
  const { secret } = await must(upstream, 'POST', '/api/collections/webhooks/records', hook)
  await must(user, 'PUT', `${PATH}/${device}`, { account: ACCOUNT, webhook_secret: secret })
  const post = await mmsPoster(
    await joinPhone({ mobileUrl: `${behind.url}/api/mobile/v1` }, upstream),
  )
  const files: SentFile[] = [['a.vcf', CARD, 'text/vcard']]
  expect(await post(mms(files))).toBe(204)
  expect(await post(mms(files, { body: '' }))).toBe(204)
  await until('both texts arrive', async () => (await received()).length === 2)
  const texts = await received()
  expect(texts.map(({ body }) => body).sort()).toEqual([
    'Attachment: a.vcf text/vcard 24 bytes',
    'Look!',
  ])
  const { token } = await must(user, 'POST', '/api/files/token')
  for (const { id, attachments } of texts) {
    expect(attachments).toEqual([expect.stringMatching(/\.vcf$/)])
    const file = await fetch(
      `${gateway.url}/api/files/sms_messages/${id}/${attachments[0]}?token=${token}`,
    )
    expect(Buffer.from(await file.arrayBuffer())).toEqual(CARD)
  }
})

test('a repeated call adds files that could not be fetched, and stores no file twice', async () => {
  const { url, received } = await addCarrier(gateway)
  const answers: Record<string, readonly [number, Buffer]> = { '/b.vcf': [500, CARD] }
  const { file, told } = await startHost(answers)
  const files = [file('a.vcf'), file('b.vcf')]
  expect(await call(url, files)).toBe(503)
  expect(await received()).toMatchObject([{ body: 'Look!', attachments: [] }])
  delete answers['/b.vcf']
  expect(await call(url, files)).toBe(200)
  const texts = await received()
  const named = [expect.stringMatching(/^a/), expect.stringMatching(/^b/)]
  expect(texts).toMatchObject([{ body: 'Look!', attachments: named }])
  const asked = told.length
  expect(await call(url, files)).toBe(200)
  expect(await received()).toEqual(texts)
  expect(told).toHaveLength(asked)
})

test('after four minutes a file that cannot be fetched is left out, and the others are kept', async () => {
  const { user, device, url, received } = await addCarrier(gateway)
  const { file } = await startHost({ '/b.vcf': [500, CARD] })
  const files = [file('a.vcf'), file('b.vcf')]
  expect(await call(url, files)).toBe(503)
  const [stored] = await received()
  await must(user, 'DELETE', `/api/collections/sms_messages/records/${stored!.id}`)
  await gateway.query(`update carrier_texts set at = at - interval '5 minutes' where device = $1`, [
    device,
  ])
  expect(await call(url, files)).toBe(200)
  const body = 'Look!\nAttachment left out: b.vcf text/vcard 24 bytes'
  expect(await received()).toMatchObject([{ body, attachments: [expect.stringMatching(/^a/)] }])
})

test('a file that is gone at the repeated call leaves one text', async () => {
  const { url, received } = await addCarrier(gateway)
  const answers: Record<string, readonly [number, Buffer]> = { '/a.vcf': [500, CARD] }
  const { file } = await startHost(answers)
  expect(await call(url, [file('a.vcf')])).toBe(503)
  answers['/a.vcf'] = [404, CARD]
  expect(await call(url, [file('a.vcf')])).toBe(200)
  expect(await received()).toMatchObject([{ body: 'Look!', attachments: [] }])
})

test('a text without words names the files that could not be fetched', async () => {
  const { url, received } = await addCarrier(gateway)
  const answers: Record<string, readonly [number, Buffer]> = { '/a.vcf': [429, CARD] }
  const { file } = await startHost(answers)
  expect(await call(url, [file('a.vcf')], '')).toBe(503)
  delete answers['/a.vcf']
  expect(await call(url, [file('a.vcf')], '')).toBe(200)
  const body = 'Attachment: a.vcf text/vcard 24 bytes'
  expect(await received()).toMatchObject([{ body, attachments: [expect.stringMatching(/^a/)] }])
})

test.each<[what: string, status: number, content: Buffer]>([
  ['empty', 200, Buffer.alloc(0)],
  ['moved to an address that is missing', 302, CARD],
  ['not there', 404, CARD],
])('a file that is %s is left out of the text', async (_, status, content) => {
  const { url, received } = await addCarrier(gateway)
  const { file, told } = await startHost({
    '/film.mp4': [status, content],
    '/elsewhere': [404, CARD],
  })
  expect(await call(url, [file('film.mp4', 'video/mp4'), file('a.vcf')])).toBe(200)
  const body = 'Look!\nAttachment left out: film.mp4 video/mp4 24 bytes'
  expect(await received()).toMatchObject([{ body, attachments: [expect.stringMatching(/^a/)] }])
  const paths = status === 302 ? ['/film.mp4', '/elsewhere'] : ['/film.mp4']
  expect(told.map(({ path }) => path)).toEqual([...paths, '/a.vcf'])
  for (const { headers } of told)
    expect(Object.keys(headers).sort()).toEqual(['connection', 'host'])
})

test('a file behind a redirect arrives', async () => {
  const { url, received } = await addCarrier(gateway)
  const { file } = await startHost({ '/ME1': [307, Buffer.alloc(0)] })
  expect(await call(url, [file('ME1')])).toBe(200)
  expect(await received()).toMatchObject([
    { body: 'Look!', attachments: [expect.stringMatching(/^me1/i)] },
  ])
})

test('a file that is too large is left out of the text, and is not asked for', async () => {
  const { url, received } = await addCarrier(gateway)
  const { file, told } = await startHost()
  expect(
    await call(url, [{ ...file('film.mp4', 'video/mp4'), size: 100_001 }, file('a.vcf')]),
  ).toBe(200)
  const body = 'Look!\nAttachment left out: film.mp4 video/mp4 100001 bytes'
  expect(await received()).toMatchObject([{ body, attachments: [expect.stringMatching(/^a/)] }])
  expect(told.map(({ path }) => path)).toEqual(['/a.vcf'])
})

test('a file at a private address is left out, and its address gets no request', async () => {
  const guarded = await startServerWithDevices()
  const { url, received } = await addCarrier(guarded)
  const { file, told } = await startHost()
  const plain = file('a.vcf')
  const files = [
    plain,
    { ...plain, url: plain.url.replace('http:', 'https:') },
    { ...plain, url: 'a.vcf' },
  ]
  expect(await call(url, files)).toBe(200)
  const lines = Array.from(files, () => 'Attachment left out: a.vcf text/vcard 24 bytes')
  expect(await received()).toMatchObject([
    { body: ['Look!', ...lines].join('\n'), attachments: [] },
  ])
  expect(told).toEqual([])
})

test.each<[what: string, facts: object, line: string]>([
  ['a name', { name: 'a\nb.vcf', type: 'text/vcard', size: 24 }, ' a b.vcf text/vcard 24 bytes'],
  ['no name', {}, ''],
])('a STOP with a file of %s that is left out is an opt-out', async (_, facts, line) => {
  const { user, url, received } = await addCarrier(gateway)
  const { file } = await startHost({ '/a.vcf': [404, CARD] })
  expect(await call(url, [{ url: file('a.vcf').url, ...facts }], 'Stop.')).toBe(200)
  expect((await received())[0]!.body).toBe(`Stop.\nAttachment left out:${line}`)
  const { items } = await must(user, 'GET', '/api/collections/contacts/records')
  expect(items).toMatchObject([{ phone: '+4915112345678', opted_out: true }])
})

test('files that are left out count as requests, too', async () => {
  const large = Buffer.alloc(600)
  const { file, told } = await startHost({ '/no.vcf': [404, large], '/big.vcf': [200, large] })
  const fetched = (names: readonly string[], maxFiles: number, maxBytes: number) =>
    fetchFiles(
      names.map((name) => ({ ...file(name), contentType: 'text/vcard', size: undefined })),
      {
        allowPrivate: true,
        maxFiles,
        maxBytes,
        untilMs: performance.now() + 5_000,
        take: () => {},
      },
    )
  await fetched(['no.vcf', 'no.vcf', 'a.vcf'], 2, 1_000)
  expect(told.map(({ path }) => path)).toEqual(['/no.vcf', '/no.vcf'])
  const kept = async (first: string) =>
    (await fetched([first, 'a.vcf'], 2, 500)).map(({ attachment }) => attachment !== undefined)
  expect(await kept('big.vcf')).toEqual([false, false])
  expect(await kept('no.vcf')).toEqual([false, true])
})

test('an address with a user name is left out, and gets no request', async () => {
  const { url, received } = await addCarrier(gateway)
  const { file, told } = await startHost()
  const one = file('a.vcf')
  for (const user of ['ann:secret@', '%zz@'])
    expect(await call(url, [{ ...one, url: one.url.replace('//', `//${user}`) }])).toBe(200)
  expect(await received()).toMatchObject([{ attachments: [] }])
  expect(told).toEqual([])
})

test('files for which the account has no room are left out', async () => {
  const { url, received } = await addCarrier(gateway)
  // each counts as 4,096 bytes at least, equal ones together as one
  const names = ['a.vcf', 'b.vcf', 'c.vcf']
  const cards = names.map((name, i) => [
    `/${name}`,
    [200, Buffer.from(`${CARD}`.replace(/.$/s, `${i}`))],
  ])
  const { file } = await startHost(Object.fromEntries(cards))
  expect(
    await call(
      url,
      names.map((name) => file(name)),
    ),
  ).toBe(200)
  const lines = names.map((name) => `Attachment left out: ${name} text/vcard 24 bytes`)
  expect(await received()).toMatchObject([
    { body: ['Look!', ...lines].join('\n'), attachments: [] },
  ])
})

test('files of more than 64 KiB wait while the server has no memory for them', async () => {
  const { url } = await addCarrier(gateway)
  const large = Buffer.concat([CARD, Buffer.alloc(80_000, ' ')])
  const { file, told } = await startHost({ '/a.vcf': [200, large] })
  const others = admission.memory.open(makeAccountHolder('users', 'others'))
  onTestFinished(() => others.close())
  others.force(192 << 20)
  expect(await call(url, [file('a.vcf')])).toBe(503)
  others.close()
  expect(await call(url, [file('a.vcf')])).toBe(200)
  expect(told).toHaveLength(2)
})

test('files that do not arrive in time, and those after them, are late', async () => {
  const { file, told, behave } = await startHost()
  behave(() => {})
  const files = [file('a.vcf'), file('b.vcf')].map((one) => ({ ...one, contentType: one.type }))
  const untilMs = performance.now() + 200
  const fetched = await fetchFiles(files, {
    allowPrivate: true,
    maxFiles: 10,
    maxBytes: 1_000,
    untilMs,
    take: () => {},
  })
  expect(fetched).toMatchObject([{ isLate: true }, { isLate: true }])
  expect(told.map(({ path }) => path)).toEqual(['/a.vcf'])
})
