import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { guestHolder } from '../../../src/admission/holder.ts'
import { MAX_BODY_BYTES, readBody } from '../../../src/http/body/body.ts'
import { RequestMemory } from '../../../src/http/request-memory.ts'

/** A request as Node hands it over; `length` false sends it chunked. */
function incoming(
  type: string,
  text: string | Buffer,
  { url = '/', length = true, method = 'POST' } = {},
): IncomingMessage {
  const bytes = Buffer.from(text)
  const size = length ? { 'content-length': String(bytes.length) } : { 'transfer-encoding': 'chunked' }
  return Object.assign(Readable.from(bytes.length > 0 ? [bytes] : []), {
    url,
    method,
    headers: { 'content-type': type, ...size },
  }) as unknown as IncomingMessage
}

/** A body that was read; what it holds of the process's memory goes back. */
async function read(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): ReturnType<typeof readBody> {
  const memory = new RequestMemory(guestHolder('ann'))
  try {
    const body = await readBody(request, maxBytes, () => memory)
    await body.release?.()
    return body
  } finally {
    memory.close()
  }
}

test.each([
  ['an object', 'application/json', '{"a":1}', { a: 1 }],
  ['with a charset', 'application/json; charset=utf-8', '{"a":1}', { a: 1 }],
  ['what follows the first value is ignored', 'application/json', '{"a":"}"} junk', { a: '}' }],
  ['bytes behind it may be any', 'application/json', Buffer.from('{"a":1}\xff', 'latin1'), { a: 1 }],
  ['null is empty', 'application/json', 'null', {}],
  ['no body, whatever the type', 'text/plain', '', {}],
  [
    'a form guesses types',
    'application/x-www-form-urlencoded',
    'a=true&b=1.5&c=1.50&d=001&e=null&f=&g=-3',
    {
      a: true,
      b: 1.5,
      c: '1.50',
      d: '001',
      e: 'null',
      f: '',
      g: -3,
    },
  ],
  [
    'a @jsonPayload of null empties what stands before it',
    'application/x-www-form-urlencoded',
    'a=1&@jsonPayload={"b":2}&@jsonPayload=null&@jsonPayload={"c":3}',
    { c: 3 },
  ],
  [
    'multipart',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n5\r\n--x--\r\n',
    { a: 5 },
  ],
  ['multipart without any part', 'multipart/form-data; boundary=x', '--x--\r\n', {}],
  ['and without an end of line', 'multipart/form-data; boundary=x', '--x--', {}],
] as const)('%s', async (_, type, text, values) => {
  expect((await read(incoming(type, text))).values).toEqual(values)
})

test('multipart with line feeds alone is refused', async () => {
  const form = '--x\nContent-Disposition: form-data; name="a"\n\n5\n--x--\n'
  await expect(read(incoming('multipart/form-data; boundary=x', form))).rejects.toMatchObject({
    status: 400,
  })
})

test.each([
  ['', 400],
  ['[1]', 400],
  ['{"a":1} more', 400],
  ['null more', 400],
  [' {"a":1}\n', { a: 1 }],
] as const)('@jsonPayload=%j', async (payload, expected) => {
  const text = `@jsonPayload=${encodeURIComponent(payload)}`
  const reading = read(incoming('application/x-www-form-urlencoded', text))
  if (expected === 400) await expect(reading).rejects.toMatchObject({ status: 400 })
  else expect((await reading).values).toEqual(expected)
})

test('an urlencoded form takes in the query', async () => {
  const request = incoming('application/x-www-form-urlencoded', 'a=1', { url: '/x?b=2' })
  expect((await read(request)).values).toEqual({ a: 1, b: 2 })
})

test('of a request that should have none, the body of an urlencoded form is not looked at', async () => {
  const request = incoming('application/x-www-form-urlencoded', 'a=%zz', { url: '/x?b=2', method: 'DELETE' })
  expect((await read(request)).values).toEqual({ b: 2 })
})

test('a form is not read where the query is broken, JSON is', async () => {
  const url = '/x?b=%zz'
  const form = incoming('application/x-www-form-urlencoded', 'a=1', { url })
  await expect(read(form)).rejects.toMatchObject({ status: 400 })
  expect((await read(incoming('application/json', '{"a":1}', { url }))).values).toEqual({ a: 1 })
})

test('so does a multipart one, the query first', async () => {
  const text = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n5\r\n--x--\r\n'
  const request = incoming('multipart/form-data; boundary=x', text, { url: '/x?a=1&b=2' })
  expect((await read(request)).values).toEqual({ a: [1, 5], b: 2 })
})

test.each([
  ['a name twice, once escaped', 'application/json', '{"a":[{"b":1,"\\u0062":2}]}'],
  ['bytes that are no UTF-8', 'application/json', Buffer.from('{"a":"\xff"}', 'latin1')],
  ['half a surrogate pair', 'application/json', '{"a":"\\\\\\ud83d\\\\\\ude00"}'],
  ['words', 'application/json', 'hello'],
  ['a broken escape in a form', 'application/x-www-form-urlencoded', 'a=1&b=%zz'],
  ['a semicolon in a form', 'application/x-www-form-urlencoded', 'a=1;b=2'],
] as const)('%s is a 400', async (_, type, text) => {
  await expect(read(incoming(type, text))).rejects.toMatchObject({ status: 400 })
})

test('too long: 413 when it says so, 400 when it turns out so', async () => {
  await expect(read(incoming('application/json', '{"a":1}'), 3)).rejects.toMatchObject({ status: 413 })
  await expect(read(incoming('application/json', '{"a":1}', { length: false }), 3)).rejects.toMatchObject({
    status: 400,
  })
  const form = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n5\r\n--x--\r\n'
  const type = 'multipart/form-data; boundary=x'
  await expect(read(incoming(type, form), 3)).rejects.toMatchObject({ status: 413 })
  await expect(read(incoming(type, form, { length: false }), 3)).rejects.toMatchObject({ status: 400 })
})

const inPieces = (pieces: Iterable<Buffer>) =>
  Object.assign(Readable.from(pieces), {
    url: '/',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  }) as unknown as IncomingMessage

test('a body may come in small pieces', async () => {
  const text = JSON.stringify({ a: 'x'.repeat(100_000) })
  const body = await read(inPieces([...text].map((one) => Buffer.from(one))))
  expect(JSON.stringify(body.values)).toBe(text)
})

test('a form has 1,000 parts at most, as in Go', async () => {
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n5\r\n'
  const form = (parts: number) =>
    incoming('multipart/form-data; boundary=x', `${part.repeat(parts)}--x--\r\n`)
  expect((await read(form(1_000))).values).toEqual({ a: Array(1_000).fill(5) })
  await expect(read(form(1_001))).rejects.toMatchObject({ status: 400 })
})
