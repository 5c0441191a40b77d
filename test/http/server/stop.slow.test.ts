import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { upsertSuperuser } from '../../../src/auth/superusers.ts'
import { readConfig } from '../../../src/config.ts'
import { createLogger } from '../../../src/log.ts'
import { TestListener } from '../../realtime/test-listener.ts'
import { start } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { type RunningProgram, serve } from '../../support/server/program.ts'
import {
  type Client,
  client,
  makeUser,
  openStream,
  PASSWORD,
  pairDevice,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'

// What becomes of those who are connected when a server is told to stop: real processes, real signals.

/** All is over by then, whatever runs; what a busy machine may add to that. */
const MAX_STOP_MS = 10_000
const SLACK_MS = 5_000
/** Of a request that the server has begun to read, the client is told so. */
const KNOWN = { expect: '100-continue' }
const folder = temporaryFolder()

const { databaseUrl } = await testConfig()
const place: Record<string, string> = databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: folder }
const env: Record<string, string> = { HOST: '127.0.0.1', LOG_LEVEL: 'error', ...place }
const first = await start(readConfig({ ...env, PORT: '0' }), createLogger({ logLevel: 'silent' }))
await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
const root = await signIn(first.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const user = await makeUser(first.url, root, { email: 'ann@example.com' })
const device = await pairDevice(first.url, user, { platform: 'simulator' })
await first.stop()

let server: RunningProgram
beforeEach(async () => {
  server = await open()
})

const open = async (more: Record<string, string> = {}) =>
  serve({ ...env, PORT: String(await freePort()), ...more })

/** The same caller at the server of this test. */
const at = (who: Client, url = server.url) => client(url, who.id, who.token)
const tellToStop = (program = server) => void process.kill(program.pid, 'SIGTERM')

async function untilEnded(program = server): Promise<number> {
  const began = performance.now()
  await expect
    .poll(() => program.hasEnded(), { timeout: MAX_STOP_MS + 2 * SLACK_MS, interval: 20 })
    .toBe(true)
  return performance.now() - began
}

test('under load: whatever was answered before the end reached all who listened', async () => {
  const ears = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      TestListener.on(server.url, i % 2 ? root.token : user.token, i % 3 ? 'contacts' : 'contacts/*'),
    ),
  )
  const acknowledged: string[] = []
  let isOver = false
  const write = async (writer: number) => {
    for (let i = 0; !isOver; i++) {
      const phone = `+4915${writer}${String(i).padStart(6, '0')}`
      const body = { user: user.id, name: `${writer} ${i}`, phone }
      const answer = await at(root)
        .call('POST', '/api/collections/contacts/records', body)
        .catch(() => undefined)
      if (!answer) return
      expect(answer.status).toBe(200)
      acknowledged.push(answer.body.id)
    }
  }
  const writing = Promise.all(Array.from({ length: 8 }, (_, i) => write(i)))
  await expect.poll(() => acknowledged.length, { timeout: 40_000 }).toBeGreaterThan(200)
  tellToStop()
  expect(await untilEnded()).toBeLessThan(MAX_STOP_MS + SLACK_MS)
  isOver = true
  await writing
  for (const ear of ears) {
    await ear.ended
    const heard = new Set(ear.heard.map(({ data }) => data.record.id))
    expect(acknowledged.filter((id) => !heard.has(id))).toEqual([])
  }
})

test('a claim that waits is answered, with nothing, and asked to hang up', async () => {
  const agent = new Agent({ keepAlive: true })
  const claiming = request(`${server.url}/api/devices/claim`, {
    agent,
    method: 'POST',
    headers: { ...KNOWN, authorization: device.token, 'content-type': 'application/json' },
  })
  const answered = once(claiming, 'response')
  claiming.flushHeaders()
  await once(claiming, 'continue')
  claiming.end('{"wait":30}')
  await new Promise((resolve) => setTimeout(resolve, 500))
  tellToStop()
  const [answer] = await answered
  const text = (await answer.toArray()).join('')
  expect([answer.statusCode, answer.headers.connection, text]).toEqual([200, 'close', '{"items":[]}'])
  // a connection that is still open holds it up to the end
  expect(await untilEnded()).toBeLessThan(MAX_STOP_MS - 2_000)
  agent.destroy()
})

test('a connection that is kept for later is closed, not torn', async () => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const errors: Error[] = []
  socket.on('error', (error) => errors.push(error))
  socket.write(`GET /api/health HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
  const [first] = await once(socket, 'data')
  expect(String(first)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*connection: keep-alive/i)
  const ended = once(socket, 'end')
  tellToStop()
  await ended
  expect(errors).toEqual([])
  await untilEnded()
})

test('a client in the middle of its request gets its answer', async () => {
  const asking = request(`${server.url}/api/collections/users/auth-with-password`, {
    method: 'POST',
    headers: { ...KNOWN, 'content-type': 'application/json' },
  })
  const answered = once(asking, 'response')
  asking.write('{"identity":"ann@example.com",')
  await once(asking, 'continue')
  tellToStop()
  const isOpen = () => fetch(`${server.url}/api/health`).then(Boolean, () => false)
  await expect.poll(isOpen).toBe(false)
  asking.end(`"password":"${PASSWORD}"}`)
  const [answer] = await answered
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close'])
  await untilEnded()
})

test('who never ends his request does not keep the server', async () => {
  const path = '/api/collections/users/auth-with-password'
  const asking = request(server.url + path, { method: 'POST', headers: KNOWN })
  asking.on('error', () => {})
  asking.write('{')
  await once(asking, 'continue')
  tellToStop()
  expect(await untilEnded()).toBeLessThan(MAX_STOP_MS + SLACK_MS)
})

test('with STOP_DELAY_SECONDS probes are told first, and all else goes on', async () => {
  const slow = await open({ STOP_DELAY_SECONDS: '2', ...(env.DATA_DIR && { DATA_DIR: `${folder}/delayed` }) })
  const ready = () => at(root, slow.url).call('GET', '/api/ready')
  expect((await ready()).status).toBe(200)
  tellToStop(slow)
  await expect.poll(async () => (await ready()).status).toBe(503)
  expect((await ready()).body).toMatchObject({ ready: false, serving: false, database: { reachable: true } })
  expect((await fetch(`${slow.url}/api/health`)).status).toBe(200)
  expect(await untilEnded(slow)).toBeLessThan(MAX_STOP_MS)
})

describe('another node', () => {
  test('what was said to a device before the stop reaches its stream', async () => {
    const other = await open()
    for (let round = 0; round < 2; round++) {
      const stopping = await open()
      const stream = await openStream(stopping.url, device.token)
      const body = { recipients: ['+4915112345678'], body: 'Hello', device_id: device.id }
      const { message_ids } = (await at(user, other.url).call('POST', '/api/sms/send', body)).body
      const canceled = await at(user, other.url).call('POST', `/api/sms/messages/${message_ids[0]}/cancel`)
      expect(canceled.status).toBe(200)
      tellToStop(stopping)
      await stream.ended
      const heard = stream.heard.map(({ name, data }) => (name === 'wake' ? name : JSON.parse(data).id))
      expect(heard).toContain(message_ids[0])
      expect(heard).toContain('wake')
      await untilEnded(stopping)
    }
  }, 120_000)
})
