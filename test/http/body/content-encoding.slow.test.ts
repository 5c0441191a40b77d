import { type OutgoingHttpHeaders, request } from 'node:http'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { ANN, startServerWithUsers } from '../../support/server/server-with-users.ts'

// Compressed bodies, and types of bodies in capitals, at routes of all kinds.

const server = await startServerWithUsers()
const signedIn = await server.signedIn('users', ANN.id)
const { body: hook } = await server.ask(
  'POST',
  '/api/collections/hooks/records',
  { user: ANN.id, name: 'Tools', preset: 'text', recipients: ['+4911111'], rate: 1_000 },
  signedIn,
)
const TO = '+4915112345678'
const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'

const ENCODINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  'X-GZip': gzipSync,
  deflate: deflateSync,
  'deflate without a header': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  identity: (bytes) => bytes,
}

/** Posts bytes, by chunks of unknown length if `isChunked`. */
function post(
  path: string,
  bytes: Buffer,
  headers: OutgoingHttpHeaders,
  { method = 'POST', isChunked = false } = {},
) {
  return new Promise<{ status: number; text: string }>((done, fail) => {
    const length = isChunked ? {} : { 'content-length': bytes.length }
    const asked = request(server.url + path, { method, headers: { ...length, ...headers } })
    asked.on('error', fail)
    asked.on('response', async (answer) => {
      let text = ''
      for await (const piece of answer.setEncoding('utf8')) text += piece
      done({ status: answer.statusCode ?? 0, text })
    })
    asked.end(bytes)
  })
}

let texts = 0
const lastText = async () =>
  (await server.rows('select body from sms_messages order by created desc, id limit 1'))[0]?.[0]

/** Routes that send a text, each with its way to write it. */
const ROUTES: readonly (readonly [
  string,
  string,
  string,
  OutgoingHttpHeaders,
  (text: string) => string,
])[] = [
  [
    '/api/sms/send',
    JSON_TYPE,
    'POST',
    { 'x-api-key': ANN.key },
    (body) => JSON.stringify({ recipients: [TO], body }),
  ],
  [`/api/hooks/${hook.secret}`, JSON_TYPE, 'POST', {}, (text) => JSON.stringify({ text })],
  [`/api/hooks/${hook.secret}`, 'text/plain', 'POST', {}, (text) => text],
  [
    `/api/hooks/${hook.secret}`,
    FORM,
    'POST',
    {},
    (text) => new URLSearchParams({ text }).toString(),
  ],
]

describe.each(ROUTES)('%s with %s', (path, type, method, headers, write) => {
  test.each(Object.entries(ENCODINGS))('reads a body in %s', async (name, encode) => {
    const text = `Pump ${texts++}`
    for (const isChunked of [false, true]) {
      const encoding = name.split(' ')[0]!
      const sent = { ...headers, 'content-type': type, 'content-encoding': encoding }
      const body = encode(Buffer.from(write(`${text} ${isChunked}`)))
      expect(await post(path, body, sent, { method, isChunked })).toMatchObject({ status: 200 })
      expect(await lastText()).toBe(`${text} ${isChunked}`)
    }
  })
})

describe('a record', () => {
  const path = '/api/collections/contacts/records'
  const write = (name: string) =>
    Buffer.from(JSON.stringify({ user: ANN.id, name, phone: `+4915${1_000_000 + texts++}` }))

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    'a record is made from JSON in %s',
    async (encoding) => {
      const headers = { ...signedIn, 'content-type': JSON_TYPE, 'content-encoding': encoding }
      const { status, text } = await post(path, ENCODINGS[encoding]!(write('Ann')), headers)
      expect([status, JSON.parse(text).name]).toEqual([200, 'Ann'])
    },
  )

  test('a record is made from a compressed multipart form', async () => {
    const form = new Response(
      Object.entries(JSON.parse(write('Ben').toString())).reduce((data, [key, value]) => {
        data.append(key, String(value))
        return data
      }, new FormData()),
    )
    const headers = {
      ...signedIn,
      'content-type': form.headers.get('content-type')!,
      'content-encoding': 'gzip',
    }
    const { status, text } = await post(
      path,
      gzipSync(Buffer.from(await form.arrayBuffer())),
      headers,
    )
    expect([status, JSON.parse(text).name]).toEqual([200, 'Ben'])
  })
})

test.each([
  'Application/JSON; charset=utf-8',
  'APPLICATION/JSON',
  'APPLICATION/X-WWW-FORM-URLENCODED',
])('a record of a body of the type %s is refused, as by PocketBase', async (type) => {
  const path = '/api/collections/contacts/records'
  const fields = { user: ANN.id, name: 'Cleo', phone: `+4915${2_000_000 + texts++}` }
  const body = /json/i.test(type) ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
  const answer = await post(path, Buffer.from(body), { ...signedIn, 'content-type': type })
  expect(answer.status).toBe(400)
})

test('a hook and a send read a form whose type has capitals', async () => {
  const form = 'Multipart/Form-Data; boundary=X'
  const write = (fields: Record<string, string>) =>
    Buffer.from(
      `${Object.entries(fields)
        .map(
          ([name, value]) =>
            `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
        )
        .join('')}--X--\r\n`,
    )
  const path = `/api/hooks/${hook.secret}`
  await post(path, write({ payload: '{"text":"Capitals"}' }), { 'content-type': form })
  expect(await lastText()).toBe('Capitals')
  const headers = { 'content-type': form, 'x-api-key': ANN.key }
  await post('/api/sms/send', write({ recipients: TO, body: 'Form' }), headers)
  expect(await lastText()).toBe('Form')
})

describe('an unknown encoding', () => {
  const bytes = gzipSync('{}')
  const ways: [string, string, OutgoingHttpHeaders][] = [
    ['/api/sms/send', JSON_TYPE, { 'x-api-key': ANN.key }],
    [`/api/hooks/${hook.secret}`, JSON_TYPE, {}],
    ['/api/collections/contacts/records', JSON_TYPE, signedIn],
    ['/api/batch', JSON_TYPE, signedIn],
    ['/api/collections/users/auth-with-password', JSON_TYPE, {}],
  ]
  test.each(ways)(
    'an unknown encoding at %s is a 415 that names those that are known',
    async (path, type, headers) => {
      for (const encoding of ['compress', 'gzip, gzip', 'toString', 'gzip, br']) {
        const sent = { ...headers, 'content-type': type, 'content-encoding': encoding }
        const { status, text } = await post(path, bytes, sent)
        expect([status, JSON.parse(text).message]).toEqual([
          415,
          `The Content-Encoding "${encoding.toLowerCase()}" is not known. Send gzip, deflate, br, zstd, or none.`,
        ])
      }
    },
  )
})

describe('a compressed body', () => {
  const send = (bytes: Buffer, encoding: string, isChunked = false) =>
    post(
      '/api/sms/send',
      bytes,
      { 'x-api-key': ANN.key, 'content-type': JSON_TYPE, 'content-encoding': encoding },
      { isChunked },
    )

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    'a compressed body that is no %s is a 400',
    async (encoding) => {
      const whole = ENCODINGS[encoding]!(
        Buffer.from(JSON.stringify({ recipients: [TO], body: 'x'.repeat(500) })),
      )
      for (const bytes of [Buffer.from('{"recipients":[]}'), whole.subarray(0, whole.length - 5)]) {
        const { status, text } = await send(bytes, encoding)
        expect(status).toBe(400)
        expect(JSON.parse(text).message).toMatch(/^The body (?:is not valid |must be)/)
      }
    },
  )

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    'a compressed body of zeros in %s ends at the limit of its route',
    async (encoding) => {
      const bomb = ENCODINGS[encoding]!(Buffer.alloc(256 << 20))
      expect(bomb.length).toBeLessThan(1 << 20)
      const before = process.memoryUsage().rss
      for (const isChunked of [false, true])
        expect(await send(bomb, encoding, isChunked)).toMatchObject({ status: 413 })
      expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20)
    },
  )

  test('a compressed body of a guest ends at the limit of guests', async () => {
    const path = '/api/collections/users/auth-with-password'
    const bytes = gzipSync(JSON.stringify({ identity: 'a'.repeat(100 << 10), password: 'x' }))
    const headers = { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' }
    expect(await post(path, bytes, headers)).toMatchObject({ status: 413 })
  })

  test('a compressed body without any bytes is an empty body', async () => {
    const { status } = await send(Buffer.alloc(0), 'gzip')
    expect(status).toBe(400)
  })
})
