import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setDefaultHighWaterMark } from 'node:stream'
import { afterEach, test as anywhere, expect, vi } from 'vitest'
import { makeUserHolder } from '../../../src/engine/collections/collection.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { watchHolders } from '../../support/watch-holders.ts'

// Requests take their places of what all share when they begin to work, not when they are announced.

// macOS has one address of its own only
const test = anywhere.skipIf(process.platform === 'darwin')
setDefaultHighWaterMark(false, 16 << 10) // as in Node 20
const server = await startServerWithDevices()
const { bodies, requests } = admission

const sockets: Socket[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const socket of sockets.splice(0)) socket.destroy()
  await passUntil(() => bodies.use.running + requests.use.running === 0)
})

/** Not by a timer: a test has its own. */
async function passUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

const JSON_TYPE = 'Content-Type: application/json'
const SIGN_IN = '/api/collections/users/auth-with-password'

/** Begins a POST. Its body has begun, too. */
function begin(head: string, path = SIGN_IN, localAddress = '127.0.0.1'): Socket {
  const socket = connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    localAddress,
  })
  sockets.push(socket)
  socket.on('error', () => {})
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}\r\n${head}\r\n\r\n{`)
  return socket
}

const answerOf = async (socket: Socket) => String((await once(socket, 'data'))[0])

test.each([
  ['small', 'Content-Length: 200'],
  ['announced with 100-continue', 'Expect: 100-continue\r\nContent-Length: 200'],
  ['in chunks', 'Transfer-Encoding: chunked'],
])(
  '1,000 unfinished bodies from 20 networks leave room for another network: %s',
  async (_, head) => {
    for (let i = 0; i < 1_000; i++) begin(head, SIGN_IN, `127.0.${1 + (i % 20)}.${1 + (i % 250)}`)
    await passUntil(() => bodies.use.running + bodies.use.waiting === 1_000)
    expect(requests.use).toEqual({ running: 0, waiting: 0 })
    const late = begin('Content-Length: 2', SIGN_IN, '127.0.99.1')
    late.write('}')
    expect(await answerOf(late)).toContain('HTTP/1.1 400')
  },
)

anywhere('what acts for an account has the places of the account', async () => {
  const [user, member] = [await server.makeUser(), await server.makeUser()]
  const phones = [await server.pair(user), await server.pair(user)]
  const values = { user: user.id, name: 'k' }
  const { key } = (await user.call('POST', '/api/collections/api_keys/records', values)).body
  const membership = { account: user.id, member: member.id, role: 'agent' }
  await server.superuser.call('POST', '/api/collections/members/records', membership)
  const { token } = (await member.call('POST', '/api/account/act-for', { account: user.id })).body
  const credentials = [user, ...phones].map((one) => `Authorization: ${one.token}`)
  for (const credential of [...credentials, `Authorization: ${token}`, `X-API-Key: ${key}`]) {
    const [name, value] = credential.split(': ') as [string, string]
    const headers = { [name]: value, 'content-type': 'application/json' }
    // known from then on
    await fetch(`${server.url}/api/sms/usage`, { headers })
    await fetch(`${server.url}/api/devices/claim`, { method: 'POST', headers, body: '{}' })
    begin(`${credential}\r\nContent-Length: 200`, '/api/sms/send')
  }
  await passUntil(() => bodies.use.running === 5)
  expect([...bodies.holders]).toEqual([makeUserHolder(user.id)])
})

anywhere('a small body has 10 s to come, and bytes that trickle stretch nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const [timely, late] = [begin('Content-Length: 2'), begin('Content-Length: 200')]
  await passUntil(() => bodies.use.running === 2)
  vi.advanceTimersByTime(9_900)
  timely.write('}')
  await passUntil(() => bodies.use.running === 1)
  late.write(' ')
  vi.advanceTimersByTime(100)
  expect(await answerOf(late)).toContain('HTTP/1.1 408 Request Timeout')
  await once(late, 'close')
})

anywhere('a small body may come in pieces of any size', async () => {
  const slow = begin('Content-Length: 60000')
  for (let i = 0; i < 3; i++) {
    slow.write(' '.repeat(19_999))
    await fetch(`${server.url}/api/health`)
  }
  slow.write(' }')
  expect(await answerOf(slow)).toContain('validation_required')
})

anywhere.each(['application/json', 'multipart/form-data; boundary=x'])(
  'a large body of a holder in debt is refused before it takes memory: %s',
  async (type) => {
    const user = await server.makeUser()
    admission.bodyBytes.charge(makeUserHolder(user.id), 100 << 20)
    const head = `Authorization: ${user.token}\r\nContent-Type: ${type}\r\nContent-Length: 9000000`
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    sockets.push(socket)
    socket.write(
      `POST /api/collections/contacts/records HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n--x\r\n`,
    )
    const { files } = await watchHolders(['files'], async () => {
      expect(await answerOf(socket)).toContain('HTTP/1.1 429')
    })
    expect([files, admission.memory.taken]).toEqual([[], 0])
  },
)

const token = (await server.makeUser()).token
const notes = {
  name: 'notes',
  type: 'base',
  createRule: '',
  updateRule: '@request.auth.id != ""',
  fields: [{ name: 'text', type: 'text', max: 400_000 }],
}
expect((await server.superuser.call('POST', '/api/collections', notes)).status).toBe(200)

const LARGE = JSON.stringify({ text: 'a'.repeat(100_000), requests: [] })
const RECORDS = '/api/collections/notes/records'

const send = (method: string, path: string, body: string, authorization = '') =>
  fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization },
    body,
  })

/** A request that says how long its body is; nothing of it is sent yet. */
function announce(bytes: number) {
  const { hostname, port } = new URL(server.url)
  const headers = { 'content-type': 'application/json', 'content-length': bytes }
  const path = '/api/collections/contacts/records'
  return request({ hostname, port, method: 'POST', path, headers, agent: false })
}

describe('a body of 100 kB', () => {
  test.each([
    [
      'creating a record in a collection closed to guests',
      'POST',
      '/api/collections/contacts/records',
    ],
    ['changing a record in a collection closed to guests', 'PATCH', `${RECORDS}/a`],
    ['a sign-in', 'POST', '/api/collections/users/auth-with-password'],
    ['a subscription', 'POST', '/api/realtime'],
    ['a pairing', 'POST', '/api/devices/pair'],
  ])('a body of 100 kB of a guest is refused with 413: %s', async (_, method, path) => {
    const answer = await send(method, path, LARGE)
    expect(answer.status).toBe(413)
  })

  test('a body of 100 kB of a guest is refused before it is sent', async () => {
    const asked = announce(100 << 20)
    asked.flushHeaders()
    const [{ statusCode }] = await once(asked, 'response')
    asked.on('error', () => undefined).destroy()
    expect(statusCode).toBe(413)
  })

  test('a body of 100 kB of a guest is not read to the end after its refusal', async () => {
    const asked = announce(64 << 20)
    asked.on('error', () => undefined)
    const [socket] = (await once(asked, 'socket')) as [Socket]
    const answered = once(asked, 'response')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const piece = Buffer.alloc(1 << 20, 'a')
    const write = () => {
      if (!socket.destroyed) asked.write(piece, (error) => !error && write())
    }
    write()
    const [answer] = (await answered) as [IncomingMessage]
    expect(answer.resume().statusCode).toBe(413)
    await closed
    expect(socket.bytesWritten).toBeLessThan(32 << 20)
  })

  test('a body of 100 kB of a guest without a Content-Length is cut off at the limit', async () => {
    const body = new Blob([LARGE]).stream()
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    }
    const answer = await fetch(
      `${server.url}/api/collections/contacts/records`,
      options as RequestInit,
    )
    expect(answer.status).toBe(413)
  })

  test('a body of 100 kB of a guest is accepted where guests may create records, alone and in a batch', async () => {
    expect((await send('POST', RECORDS, LARGE)).status).toBe(200)
    const part = { method: 'POST', url: RECORDS, body: { text: 'a'.repeat(100_000) } }
    const batch = await send('POST', '/api/batch', JSON.stringify({ requests: [part] }))
    expect(batch.status, await batch.text()).toBe(200)
  })

  test('a body of 100 kB of a user is read', async () => {
    const answer = await send('POST', '/api/collections/contacts/records', LARGE, token)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ message: 'Failed to create record.' })
  })
})

test("a guest's body above the maximum of the collection's fields is refused with 413", async () => {
  const text = 'a'.repeat(5 << 20)
  expect((await send('POST', RECORDS, JSON.stringify({ text }))).status).toBe(413)
  expect((await send('POST', '/api/batch', JSON.stringify({ text }))).status).toBe(413)
})
