import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { makeSampleRequest } from '../../../../../src/programs/agent/drivers/http/sample-request.ts'
import { freePort } from '../../../../support/database/postgres.ts'
import { startReceiver } from '../../../../support/services/receiver.ts'
import { custom, openDriver, settingsOf, TEXT } from './carrier-fixture.ts'

const carrier = await startReceiver()
beforeEach(() => {
  carrier.told.length = 0
  carrier.answer(200, '{"id":"m1"}')
})

test('a text is sent as the preset describes, without fields that are empty', async () => {
  const { send, callback } = await openDriver(custom(carrier.url))
  expect(await send({ sim: 2 })).toEqual({ outcome: 'sent' })
  const [{ path, event }] = carrier.told as [(typeof carrier.told)[0]]
  expect(path).toBe('/send?key=sesame-open-99')
  const back = `${callback}?ref=${TEXT.id}.1`
  expect(event).toEqual({ to: '4915112345678', from: 'Acme', text: ' Hello € ', back })
})

test.each<[what: string, status: number, body: string, result: object]>([
  ['an accepted text', 202, '{"id":7}', { outcome: 'sent' }],
  ['an accepting answer without an id', 200, '{"i', { outcome: 'unknown' }],
  ['a fault of the carrier', 502, 'Bad gateway', { outcome: 'unknown' }],
  ['too many requests', 429, '{}', { outcome: 'again' }],
  [
    'a refused number',
    400,
    '{"code":"bad_number","error":"No such number"}',
    {
      outcome: 'failed',
      notSent: false,
      error: 'The carrier refused it: 400, bad_number No such number',
    },
  ],
  [
    'a country that the account cannot use',
    422,
    '{"code":"not_here"}',
    { outcome: 'failed', notSent: true, error: 'The carrier refused it: 422, not_here' },
  ],
  [
    'wrong credentials, which the carrier repeats',
    401,
    '{"error":"The key sesame-open-99 is wrong"}',
    { outcome: 'failed', notSent: true, error: 'The carrier refused it: 401 The key *** is wrong' },
  ],
  [
    'a redirect',
    302,
    '',
    { outcome: 'failed', notSent: true, error: 'The carrier refused it: 302' },
  ],
])('%s has its outcome', async (_, status, body, result) => {
  carrier.answer(status, body)
  const { send } = await openDriver(custom(carrier.url))
  expect(await send()).toEqual(result)
})

test('an answer with status 200 is a refusal unless its values accept the text', async () => {
  const { send } = await openDriver(custom(carrier.url, {}, { accepts: { state: ['0'] } }))
  carrier.answer(200, '{"id":"m1","state":"0"}')
  expect(await send()).toEqual({ outcome: 'sent' })
  carrier.answer(200, '{"state":"9","code":"no_credit"}')
  expect(await send()).toMatchObject({ outcome: 'failed', notSent: true })
})

test('a refusal of the account stops the line with one alarm, until a text is sent again', async () => {
  const { driver, send, faults } = await openDriver(custom(carrier.url))
  expect(driver.parallel).toBe(10)
  carrier.answer(400, '{"code":"no_credit","error":"No credit"}')
  await send()
  expect(driver.parallel).toBe(0)
  expect(await driver.ready!(performance.now() + 30_000, AbortSignal.timeout(60_000))).toBe(false)
  expect(faults).toEqual(['The carrier refused it: 400, no_credit No credit'])
  carrier.answer(200, '{"id":"m1"}')
  await send()
  expect(faults).toEqual(['The carrier refused it: 400, no_credit No credit', ''])
})

test('an agent lets the carrier repeat an event that it does not know, and tells the names of its fields', async () => {
  const { callback, received, unknown } = await openDriver(custom(carrier.url))
  const post = async (body: object) =>
    (await fetch(callback, { method: 'POST', body: JSON.stringify(body) })).status
  expect(await post({ kind: 'call', call: { from: '+4915112345678' } })).toBe(503)
  expect(unknown).toEqual(['kind', 'call', 'call.from'])
  expect(await post({ kind: 'TEXT', id: '1', from: '+4915112345678', body: 'Hello' })).toBe(200)
  expect(received).toMatchObject([{ body: 'Hello' }])
})

test('an agent names the files of an MMS in its text', async () => {
  const files = { url: 'photo*' }
  const incoming = { id: 'id', from: 'from', body: 'body', files }
  const { callback, received } = await openDriver(custom(carrier.url, { incoming }))
  const query = 'id=1&from=%2B4915112345678&photo0=https%3A%2F%2Fa.example%2F1'
  expect((await fetch(`${callback}?${query}`)).status).toBe(200)
  expect(received).toMatchObject([{ body: 'Attachment left out:' }])
})

test.each([
  ['seconds', '120'],
  ['a date', new Date(Date.now() + 120_000).toUTCString()],
])('texts wait as long as a carrier asks by %s', async (_, asked) => {
  carrier.answer(429, '{}', { 'retry-after': asked })
  const { driver, send } = await openDriver(custom(carrier.url))
  expect(await send()).toEqual({ outcome: 'again' })
  expect(await driver.ready!(performance.now() + 30_000, AbortSignal.timeout(60_000))).toBe(false)
})

test.each([
  ['a private address', 'https://10.0.0.1', { path: '/' }],
  ['a name of this computer', 'https://localhost', { path: '/' }],
  ['plain http', 'http://carrier.example', { path: '/' }],
  [
    'a private address that the path of the request makes',
    'https://carrier.example',
    { path: '@10.0.0.1/' },
  ],
])('%s is refused before the first text, unless it is allowed', (_, url, send) => {
  const settings = { ...custom(url), custom: { send } }
  expect(() => makeSampleRequest(settingsOf(settings).carrier)).toThrow(
    /is not (an address of the internet|https)/,
  )
  expect(makeSampleRequest(settingsOf({ ...settings, allow_private: true }).carrier)).toContain(
    'POST http',
  )
})

test('a carrier that cannot be reached leaves texts unsent, a connection that breaks leaves them unknown', async () => {
  const gone = `http://127.0.0.1:${await freePort()}`
  expect(await (await openDriver(custom(gone))).send()).toEqual({ outcome: 'again' })
  carrier.behave((_, res) => res.destroy())
  expect(await (await openDriver(custom(carrier.url))).send()).toEqual({ outcome: 'unknown' })
})

test('a text waits while the carrier accepts connections and no encrypted ones', async () => {
  const mute = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  onTestFinished(() => void mute.close())
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const { send } = await openDriver({ ...custom(`https://127.0.0.1:${port}`), answer_seconds: 1 })
  expect(await send()).toEqual({ outcome: 'again' })
})

test('a carrier that stays out of reach is a fault, until a text is sent', async () => {
  const port = await freePort()
  const { send, faults } = await openDriver(custom(`http://127.0.0.1:${port}`), { unreachedMs: 0 })
  for (let i = 0; i < 4; i++) await send()
  expect(faults).toEqual([])
  await send()
  expect(faults).toEqual([expect.stringMatching(/^The carrier cannot be reached: .*ECONNREFUSED/)])
  const back = await startReceiver(port)
  back.answer(429, '{}')
  await send()
  expect(faults).toHaveLength(1)
  back.answer(200, '{"id":"m1"}')
  await send()
  expect(faults.slice(1)).toEqual([''])
})

test('a text that is sent ends the fault of an earlier run', async () => {
  const { send, faults } = await openDriver(custom(carrier.url), { isFaulty: true })
  await send()
  await send()
  expect(faults).toEqual([''])
})

test('no error quotes the path of our address, which alone protects calls without a signature', async () => {
  const { send, callback } = await openDriver(custom(carrier.url))
  carrier.answer(400, JSON.stringify({ error: `Cannot call ${callback}?ref=1` }))
  const { origin } = new URL(callback)
  const error = `The carrier refused it: 400 Cannot call ${origin}***?ref=1`
  expect(await send()).toEqual({ outcome: 'failed', notSent: false, error })
})

test('without allow_private a private address gets no request', async () => {
  const { send } = await openDriver({
    ...custom(carrier.url.replace('http:', 'https:')),
    allow_private: false,
  })
  expect(await send()).toMatchObject({ outcome: 'failed', notSent: true })
  expect(carrier.told).toEqual([])
})

test('a text whose answer was lost is repeated if the carrier has idempotency keys', async () => {
  let asked = 0
  carrier.behave((_, res) => (++asked < 2 ? res.destroy() : res.end('{"message_ids":["m1"]}')))
  const { send } = await openDriver({ preset: 'pocketsms', url: carrier.url, secret: 'psk_1' })
  expect(await send()).toEqual({ outcome: 'sent' })
  expect(carrier.told.map(({ headers }) => headers['idempotency-key'])).toEqual([
    'a1b8n5m2c0x9v3k.1',
    'a1b8n5m2c0x9v3k.1',
  ])
  const { event } = carrier.told[0]!
  expect(event).toEqual({ recipients: [TEXT.to], body: TEXT.body, client_ref: 'a1b8n5m2c0x9v3k.1' })
})

test('the request of --check has no secret', () => {
  const given = { ...custom('https://carrier.example'), callback: 'https://sms.example/x' }
  const shown = makeSampleRequest(settingsOf(given).carrier)
  expect(shown).toContain('POST https://carrier.example/send?key=***')
  expect(shown).not.toContain('sesame')
})

test.each<[what: string, settings: object, error: RegExp]>([
  ['an unknown preset', { preset: 'nobody' }, /preset/],
  ['a carrier without an address', { preset: 'pocketsms' }, /url is missing/],
  [
    'a template with an unknown value',
    custom('https://x.example', { send: { path: '/{{nothing}}' } }),
    /nothing/,
  ],
  [
    'a header whose name is none',
    custom('https://x.example', { send: { path: '/', headers: { 'x key': '{{secret}}' } } }),
    /custom\.send\.headers/,
  ],
  [
    'a sender that is neither a number nor a name',
    { preset: 'twilio', senders: ['+abc'] },
    /senders/,
  ],
  [
    'a port without an address for the carrier',
    { preset: 'twilio', listen: 8095 },
    /callback is missing/,
  ],
])('%s is refused when the agent starts', (_, settings, error) => {
  expect(() => makeSampleRequest(settingsOf(settings).carrier)).toThrow(error)
})

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

test('receipts and texts of the carrier are reported, in any order, a repeated text once', async () => {
  const { callback, delivered, received } = await openDriver(custom(carrier.url))
  const { status } = await post(`${callback}?ref=a.2`, '{"status":"ok"}')
  expect(status).toBe(200)
  await post(callback, '{"ref":"b.1","status":"bad","why":"30003"}')
  await post(callback, '{"ref":"c.1","status":"queued"}')
  await post(callback, '{"ref":"not ours","status":"ok"}')
  expect(delivered).toEqual(['a.2 delivered', 'b.1 The carrier did not deliver it: bad 30003'])
  const text = '{"kind":"text","id":"x1","from":"491761000002","to":"Acme","body":"Hi"}'
  for (const body of [text, text, text.replace('x1', 'x2')]) await post(callback, body)
  expect(received.map(({ at: _, ...each }) => each)).toEqual(
    new Array(3).fill({ from: '+491761000002', body: 'Hi', sim: 2 }),
  )
  // the server knows a text by its time
  expect(new Set(received.map(({ at }) => at)).size).toBe(2)
  expect((await post(callback.replace('k3v9', 'other'), text)).status).toBe(404)
  expect((await post(callback, 'x'.repeat(300_000))).status).toBe(413)
})

test('a compressed call gets 415, and identity is no compression', async () => {
  const { callback, received, unknown } = await openDriver(custom(carrier.url))
  const text = '{"kind":"text","id":"z1","from":"491761000002","to":"Acme","body":"Hi"}'
  const body = gzipSync(text)
  for (const encoding of ['gzip', 'br', 'GZIP', 'identity, gzip', 'x-own'])
    expect(
      await fetch(callback, { method: 'POST', body, headers: { 'content-encoding': encoding } }),
    ).toMatchObject({ status: 415 })
  expect([received, unknown]).toEqual([[], []])
  expect((await post(callback, text, { 'content-encoding': 'Identity' })).status).toBe(200)
  expect(received).toHaveLength(1)
})

test('a text in the charset that its call names is read', async () => {
  const incoming = { id: 'id', from: 'from', body: 'body', charset: 'charset' }
  const { callback, received } = await openDriver(custom(carrier.url, { incoming }))
  const call = `${callback}?id=1&from=491761000002`
  await fetch(`${call}&charset=UTF-16BE&body=%04%1F%04%40%048%00+%20%AC`)
  await fetch(`${call}2&charset=GSM&body=Gr%C3%BC%C3%9Fe+%26`)
  await post(`${call}3`, 'charset=windows-1252&body=%80+5', {
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect(received.map(({ body }) => body)).toEqual(['При €', 'Grüße &', '€ 5'])
})

test('the names of headers in a signature may have capital letters', async () => {
  const signature = {
    kind: 'hmac',
    hash: 'sha256',
    header: 'X-Mark',
    encoding: 'hex',
    of: ['header:X-Id', 'body'],
  }
  const { callback, delivered } = await openDriver(custom(carrier.url, { signature }))
  const body = '{"ref":"a.1","status":"ok"}'
  const mark = createHmac('sha256', 'sesame-open-99').update(`7${body}`).digest('hex')
  expect((await post(callback, body, { 'x-id': '7', 'x-mark': mark })).status).toBe(200)
  expect((await post(callback, body, { 'x-id': '8', 'x-mark': mark })).status).toBe(401)
  expect(delivered).toEqual(['a.1 delivered'])
})

test('calls with a wrong, an old or no signature are refused', async () => {
  const webhook_secret = `whsec_${Buffer.from('a'.repeat(32)).toString('base64')}`
  const settings = { preset: 'pocketsms', url: carrier.url, secret: 'psk_1', webhook_secret }
  const { callback, delivered } = await openDriver(settings)
  const body = JSON.stringify({
    type: 'message.delivered',
    data: { client_ref: 'a.1', status: 'delivered' },
  })
  const signed = (secret: string, at: Date) => ({
    'webhook-id': 'm1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('m1', at, body),
  })
  const now = new Date()
  const other = `whsec_${Buffer.from('b'.repeat(32)).toString('base64')}`
  const wrong = [{}, signed(other, now), signed(webhook_secret, new Date(now.getTime() - 400_000))]
  for (const headers of wrong) expect((await post(callback, body, headers)).status).toBe(401)
  expect((await post(callback, `${body} `, signed(webhook_secret, now))).status).toBe(401)
  expect(delivered).toEqual([])
  expect((await post(callback, body, signed(webhook_secret, now))).status).toBe(200)
  expect(delivered).toEqual(['a.1 delivered'])
})

test('a fault does not quote the text, in which a code may stand', async () => {
  const { send, faults } = await openDriver(custom(carrier.url))
  carrier.answer(401, '{"error":"Refused: Your code is 482913. (code 482-913, to +4915112345678)"}')
  await send({ body: 'Your code is 482913.' })
  expect(faults).toEqual(['The carrier refused it: 401 Refused: *** (code ***, to +4915112345678)'])
})
