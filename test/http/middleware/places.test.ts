import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setDefaultHighWaterMark } from 'node:stream'
import { afterEach, test as anywhere, expect, vi } from 'vitest'
import { admission } from '../../../src/admission/admission.ts'
import { userHolder } from '../../../src/collections/catalog.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

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
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', localAddress })
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
])('bodies of 20 networks that never come leave room for another: %s', async (_, head) => {
  for (let i = 0; i < 1_000; i++) begin(head, SIGN_IN, `127.0.${1 + (i % 20)}.${1 + (i % 250)}`)
  await passUntil(() => bodies.use.running + bodies.use.waiting === 1_000)
  expect(requests.use).toEqual({ running: 0, waiting: 0 })
  const late = begin('Content-Length: 2', SIGN_IN, '127.0.99.1')
  late.write('}')
  expect(await answerOf(late)).toContain('HTTP/1.1 400')
})

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
  expect([...bodies.holders]).toEqual([userHolder(user.id)])
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
    admission.bodyBytes.charge(userHolder(user.id), 100 << 20)
    const opened = vi.spyOn(admission.temporaryFiles, 'open')
    const head = `Authorization: ${user.token}\r\nContent-Type: ${type}\r\nContent-Length: 9000000`
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    sockets.push(socket)
    socket.write(`POST /api/collections/contacts/records HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n--x\r\n`)
    expect(await answerOf(socket)).toContain('HTTP/1.1 429')
    expect([opened.mock.calls, admission.memory.taken]).toEqual([[], 0])
    opened.mockRestore()
  },
)
