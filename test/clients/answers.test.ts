import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PocketSms, type RequestEvent } from '../../clients/javascript/client.ts'
import { listenLocally } from '../support/services/listen.ts'

// What the client makes of the answers of servers and proxies, good and bad ones.
// test/clients/javascript.slow.test.ts has the real server.

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

const SENT = '{"message_ids":["1"]}'
const TO = '+4915112345678'
const PAGE = '<!doctype html><title>Welcome to nginx</title>'

/** A server that gives these answers in turn, and the last one for ever. */
async function answerBy(...answers: readonly Answer[]) {
  const requests: IncomingMessage[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push(request)
    bodies.push(body)
    await answers[Math.min(requests.length, answers.length) - 1]!(response, request)
  })
  const { url } = await listenLocally(server)
  return { url, requests, bodies }
}

const give =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body)

const retryAfter = (value: string, headers = {}) =>
  give(503, '', { 'retry-after': value, ...headers })
const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000)
/** The form of RFC 850, without the name of the day, which no reader needs. */
const asRfc850 = (at: Date) => {
  const [day, date, month, year, time] = at.toUTCString().replace(',', '').split(' ')
  return `${day}day, ${date}-${month}-${year!.slice(2)} ${time} GMT`
}
const asAsctime = (at: Date) => {
  const [day, date, month, year, time] = at.toUTCString().replace(',', '').split(' ')
  return `${day} ${month} ${date!.replace(/^0/, ' ')} ${time} ${year}`
}
const send = (url: string) =>
  new PocketSms(url, { key: 'psk_1' }).send({ recipients: [TO], body: 'x' })

const FAR = secondsFromNow(3_600)
test.each([
  ['3600', 3_600_000],
  ['99999999999999999999', 1e23],
  [FAR.toUTCString(), 3_600_000],
  [asRfc850(FAR), 3_600_000],
  [asAsctime(FAR), 3_600_000],
])('a server that asks for a long pause by “%s” gets no second attempt', async (value, ms) => {
  const { url, requests } = await answerBy(retryAfter(value))
  const error = await send(url).catch((caught) => caught)
  expect(error).toMatchObject({ name: 'PocketSmsError', status: 503 })
  expect(Math.abs(error.retryAfterMs / ms - 1)).toBeLessThan(0.01)
  expect(requests).toHaveLength(1)
})

test.concurrent.each([
  'soon',
  '-5',
  '1e9',
  '2099-01-01',
  '5, 10',
  '0',
  'NaN',
  'Infinity',
  '',
  'Wed, 99 Foo 2099 10:00:00 GMT',
  secondsFromNow(-3_600).toUTCString(),
])('“%s” of a busy server means the usual pause, and three attempts', async (value) => {
  const { url, requests } = await answerBy(retryAfter(value), retryAfter(value), give(200, SENT))
  const begun = Date.now()
  expect(await send(url)).toEqual({ message_ids: ['1'] })
  expect(requests).toHaveLength(3)
  expect(Date.now() - begun).toBeGreaterThan(2_400)
})

test('a date counts from the clock of the server', async () => {
  const [at, date] = [secondsFromNow(-86_400 + 1), secondsFromNow(-86_400)]
  const busy = retryAfter(at.toUTCString(), { date: date.toUTCString() })
  const { url, requests } = await answerBy(busy, give(200, SENT))
  const begun = Date.now()
  await send(url)
  expect(requests).toHaveLength(2)
  expect(Date.now() - begun).toBeGreaterThan(900)
})

test.concurrent.each([408, 429, 502, 503, 504, 522, 530])(
  '%i is repeated at most twice',
  async (status) => {
    const { url, requests } = await answerBy(give(status, PAGE))
    await expect(send(url)).rejects.toMatchObject({ status, isTemporary: true })
    expect(requests).toHaveLength(3)
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  },
)

test.each([400, 401, 403, 404, 409, 422, 500, 501])('%i is not repeated', async (status) => {
  const { url, requests } = await answerBy(give(status, 'null'))
  await expect(send(url)).rejects.toMatchObject({ status, code: `http_${status}` })
  expect(requests).toHaveLength(1)
})

test('the attempts and their time can be set', async () => {
  const { url, requests } = await answerBy(() => {})
  const settings = { key: 'psk_1', attempts: 2, timeoutMs: 100 }
  const sent = new PocketSms(url, settings).send({ recipients: [TO], body: 'x' })
  await expect(sent).rejects.toMatchObject({ code: 'no_answer' })
  expect(requests).toHaveLength(2)
})

test.each<[string, Answer, object]>([
  ['a page', give(200, PAGE), { status: 200, code: 'bad_answer' }],
  ['nothing', give(200), { status: 200, code: 'bad_answer' }],
  ['no content', give(204), { status: 204, code: 'bad_answer' }],
  ['half an answer', give(200, SENT.slice(0, -3)), { status: 200, code: 'bad_answer' }],
  ['null', give(200, 'null'), { status: 200, code: 'bad_answer' }],
  ['a list', give(200, '[]'), { status: 200, code: 'bad_answer' }],
  ['the JSON of another server', give(200, '{"ok":true}'), { status: 200, code: 'bad_answer' }],
  ['an error that is a text', give(400, '"no"'), { status: 400, code: 'http_400' }],
  ['an error that is an object', give(400, '{"error":{"code":7}}'), { code: 'http_400' }],
  [
    'a redirect',
    give(301, '', { location: 'https://sms.example.com/api/sms/send' }),
    {
      status: 301,
      code: 'redirected',
      message: expect.stringContaining('https://sms.example.com'),
    },
  ],
  ['a redirect that keeps the body', give(308, '', { location: '/x' }), { code: 'redirected' }],
])('a send that gets %s throws the one error of the client', async (_, answer, expected) => {
  const { url, requests } = await answerBy(answer)
  await expect(send(url)).rejects.toMatchObject({ name: 'PocketSmsError', ...expected })
  expect(requests).toHaveLength(1)
})

test('a send whose answer is cut off is repeated with the same key', async () => {
  const cut: Answer = (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"message')
    response.destroy()
  }
  const { url, requests } = await answerBy(cut, give(200, SENT))
  expect(await send(url)).toEqual({ message_ids: ['1'] })
  expect(requests[1]!.headers['idempotency-key']).toBe(requests[0]!.headers['idempotency-key'])
})

test('a key is never sent to the server to which another redirects', async () => {
  const other = await answerBy(give(200, '{"id":"1"}'))
  const { url } = await answerBy(give(307, '', { location: `${other.url}/api/sms/messages/1` }))
  const read = new PocketSms(url, { key: 'psk_1' }).getMessage('1')
  await expect(read).rejects.toMatchObject({ code: 'redirected' })
  expect(other.requests).toEqual([])
})

test.each<[string, string | undefined, object]>([
  ['no address', undefined, { key: 'psk_1' }],
  ['an empty address', '', { key: 'psk_1' }],
  ['an address without http', 'sms.example.com', { key: 'psk_1' }],
  ['a path outside of pages', '/', { key: 'psk_1' }],
  ['no key', 'http://127.0.0.1', { key: undefined }],
  ['an empty key', 'http://127.0.0.1', { key: ' ' }],
  ['a key of two lines', 'http://127.0.0.1', { key: 'a\nb' }],
  ['no credential', 'http://127.0.0.1', {}],
  ['no time', 'http://127.0.0.1', { key: 'psk_1', timeoutMs: Number.NaN }],
  ['a time without end', 'http://127.0.0.1', { key: 'psk_1', timeoutMs: Infinity }],
  ['no attempt', 'http://127.0.0.1', { key: 'psk_1', attempts: 0 }],
  ['attempts that are no number', 'http://127.0.0.1', { key: 'psk_1', attempts: Number.NaN }],
])('a client with %s is refused at once', (_, url, credential) => {
  const make = () => new PocketSms(url as string, credential as { key: string })
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_setting', name: 'PocketSmsError' }))
})

const sendOf = (fields: object, options?: object) => (sms: PocketSms) =>
  sms.send({ recipients: [TO], body: 'x', ...fields } as never, options)

test.each<[string, (sms: PocketSms) => Promise<unknown>]>([
  ['an invalid date', sendOf({ scheduled_at: new Date('x') })],
  [
    'an invalid date beside a file',
    sendOf({ scheduled_at: new Date('x'), attachments: [new Blob([])] }),
  ],
  ['NaN', sendOf({ ttl: Number.NaN })],
  ['an endless time', sendOf({ ttl: Infinity })],
  ['a BigInt', sendOf({ ttl: 1n })],
  ['bytes that are no file', sendOf({ attachments: [new Uint8Array(3)] })],
  ['an empty idempotency key', sendOf({}, { idempotencyKey: '' })],
  ['an idempotency key of two lines', sendOf({}, { idempotencyKey: 'a\nb' })],
  ['an empty id', (sms) => sms.cancelMessage('')],
  ['an empty reference', (sms) => sms.findMessage('')],
  ['a status that no text has', (sms) => sms.waitUntil('1', 'deliverd' as 'sent')],
])('a request with %s is refused, and sends nothing', async (_, run) => {
  const { url, requests } = await answerBy(give(200, SENT))
  const sent = (async () => run(new PocketSms(url, { key: 'psk_1' })))()
  await expect(sent).rejects.toMatchObject({ name: 'PocketSmsError', code: 'invalid_request' })
  expect(requests).toEqual([])
})

test('a send is written the same with and without files', async () => {
  const { url, bodies } = await answerBy(give(200, SENT))
  const text = {
    recipients: [TO],
    body: 'x',
    scheduled_at: new Date(0),
    variables: { name: 'Özlem', count: 2, gap: '' },
    bulk: false,
    sim: null,
    group_ids: [],
    client_ref: undefined,
  }
  const sms = new PocketSms(url, { key: 'psk_1' })
  await sms.send(text)
  await sms.send({ ...text, attachments: [new File(['x'], 'a.txt')] })
  const [, part] = bodies[1]!.split('name="@jsonPayload"\r\n\r\n')
  expect(JSON.parse(part!.split('\r\n')[0]!)).toEqual({
    ...JSON.parse(bodies[0]!),
    attachments: [],
  })
  expect(bodies[1]!.match(/content-disposition/gi)).toHaveLength(2)
})

test('waiting for a time that is no number ends', async () => {
  const { url, requests } = await answerBy(give(200, '{"id":"1","status":"sending"}'))
  const wait = new PocketSms(url, { key: 'psk_1' }).waitUntil('1', 'sent', {
    timeoutMs: Number.NaN,
  })
  await expect(wait).rejects.toMatchObject({ code: 'timeout' })
  expect(requests).toHaveLength(1)
})

test('onRequest gets each attempt, and its errors harm no send', async () => {
  const { url } = await answerBy(give(503), give(200, SENT))
  const seen: RequestEvent[] = []
  const onRequest = (event: RequestEvent) => {
    seen.push(event)
    throw new Error('the log is full')
  }
  await new PocketSms(url, { key: 'psk_1', onRequest }).send({ recipients: [TO], body: 'x' })
  const event = { method: 'POST', path: '/api/sms/send', durationMs: expect.any(Number) }
  expect(seen).toEqual([
    { ...event, attempt: 1, status: 503, error: expect.objectContaining({ status: 503 }) },
    { ...event, attempt: 2, status: 200 },
  ])
})

describe('receiving', () => {
  const token = give(200, '{"token":"t"}')
  const route =
    (routes: Readonly<Record<string, Answer>>): Answer =>
    (response, request) => {
      const path = request.url!.replace(/\?.*/, '')
      const found = Object.entries(routes).find(([end]) => path.endsWith(end))
      return (found?.[1] ?? give(404))(response, request)
    }
  const list = give(200, '{"items":[]}')
  const refresh = '/auth-refresh'

  test.each<[string, Answer, string]>([
    ['no such server', give(404, PAGE), 'http_404'],
    ['a page', give(200, PAGE), 'bad_answer'],
    ['nothing', give(200), 'bad_answer'],
    ['a method that is not allowed', give(405), 'http_405'],
    ['a server that is gone', give(410), 'http_410'],
    ['a fault of the server', give(500), 'http_500'],
    ['a redirect', give(302, '', { location: '/login' }), 'redirected'],
    [
      'a page for the stream',
      route({ [refresh]: token, records: list, realtime: give(200, PAGE) }),
      'bad_answer',
    ],
    [
      'the stream of another server',
      route({
        [refresh]: token,
        records: list,
        realtime: give(200, 'data: {"hello":1}\n\n', { 'content-type': 'text/event-stream' }),
      }),
      'bad_answer',
    ],
    [
      'a stream that is no JSON',
      route({
        [refresh]: token,
        records: list,
        realtime: give(200, 'data: hello\n\n', { 'content-type': 'text/event-stream' }),
      }),
      'bad_answer',
    ],
  ])('%s ends it', async (_, answer, code) => {
    const { url } = await answerBy(answer)
    const received = new PocketSms(url, { token: 'x' }).receive()
    await expect(received.next()).rejects.toMatchObject({ name: 'PocketSmsError', code })
  })

  test.concurrent('temporary errors are told, and do not end it', async () => {
    const { url } = await answerBy(give(503), give(503), give(503), give(502), give(401))
    const errors: number[] = []
    const sms = new PocketSms(url, { token: 'x', attempts: 1 })
    const received = sms.receive({ onError: ({ status }) => errors.push(status) })
    await expect(received.next()).rejects.toMatchObject({ status: 401 })
    expect(errors).toEqual([503, 503, 503, 502])
  }, 20_000)

  test('an API key and an invalid time are refused at once', async () => {
    const { url, requests } = await answerBy(list)
    const byKey = new PocketSms(url, { key: 'psk_1' }).receive()
    await expect(byKey.next()).rejects.toMatchObject({ code: 'token_required', status: 401 })
    const since = new PocketSms(url, { token: 'x' }).receive({ since: 'yesterday' })
    await expect(since.next()).rejects.toMatchObject({ code: 'invalid_request' })
    expect(requests).toEqual([])
  })
})
