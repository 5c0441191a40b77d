import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { guestHolder } from '../../../src/admission/holder.ts'
import { MAX_BODY_BYTES, readBody } from '../../../src/http/body/body.ts'
import { RequestMemory } from '../../../src/http/request-memory.ts'

// What no recorded case of test/conformance shows.

/** A request as Node hands it over. */
function incoming(type: string, text: string | Buffer, { url = '/', method = 'POST' } = {}): IncomingMessage {
  const bytes = Buffer.from(text)
  return Object.assign(Readable.from(bytes.length > 0 ? [bytes] : []), {
    url,
    method,
    headers: { 'content-type': type, 'content-length': String(bytes.length) },
  }) as unknown as IncomingMessage
}

/** A body that was read; what it holds of the process's memory goes back. */
async function read(request: IncomingMessage): ReturnType<typeof readBody> {
  const memory = new RequestMemory(guestHolder('ann'))
  try {
    const body = await readBody(request, MAX_BODY_BYTES, () => memory)
    await body.release?.()
    return body
  } finally {
    memory.close()
  }
}

test.each([
  ['bytes behind JSON may be any', 'application/json', Buffer.from('{"a":1}\xff', 'latin1'), { a: 1 }],
  ['no body, whatever the type', 'text/plain', '', {}],
] as const)('%s', async (_, type, text, values) => {
  expect((await read(incoming(type, text))).values).toEqual(values)
})

test('of a request that should have none, the body of an urlencoded form is not looked at', async () => {
  const request = incoming('application/x-www-form-urlencoded', 'a=%zz', { url: '/x?b=2', method: 'DELETE' })
  expect((await read(request)).values).toEqual({ b: 2 })
})

test('multipart with line feeds alone is refused', async () => {
  const form = '--x\nContent-Disposition: form-data; name="a"\n\n5\n--x--\n'
  await expect(read(incoming('multipart/form-data; boundary=x', form))).rejects.toMatchObject({
    status: 400,
  })
})

test('a form has 1,000 parts at most, as in Go', async () => {
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n5\r\n'
  const form = (parts: number) =>
    incoming('multipart/form-data; boundary=x', `${part.repeat(parts)}--x--\r\n`)
  expect((await read(form(1_000))).values).toEqual({ a: Array(1_000).fill(5) })
  await expect(read(form(1_001))).rejects.toMatchObject({ status: 400 })
})
