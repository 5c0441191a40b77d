import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { runServer } from '../../support/database/open.ts'
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
import { until } from '../../support/until.ts'

// What becomes of those who are connected when a server is told to stop: real processes, real signals.

/** All is over by then, whatever runs; what a busy machine may add to that. */
const MAX_STOP_MS = 10_000
const SLACK_MS = 5_000
/** By then a claim waits, and a sign-in reads its body: nothing outside the server shows it. */
const HANDLED_MS = 500
/** Of a request that the server has begun to read, the client is told so. */
const KNOWN = { expect: '100-continue' }
const folder = temporaryFolder()

const { databaseUrl } = await testConfig({}, 'prepared')
const place: Record<string, string> = databaseUrl
  ? { DATABASE_URL: databaseUrl }
  : { DATA_DIR: folder }
const env: Record<string, string> = { HOST: '127.0.0.1', LOG_LEVEL: 'error', ...place }
const first = await runServer(
  readConfig({ ...env, PORT: '0' }),
  createLogger({ logLevel: 'silent' }),
)
await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
const root = await signIn(first.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const user = await makeUser(first.url, root, { email: 'ann@example.com' })
const device = await pairDevice(first.url, user, { platform: 'simulator' })
await first.stop()

const open = async (more: Record<string, string> = {}) =>
  serve({ ...env, PORT: String(await freePort()), ...more })

/** The same caller at a server. */
const at = (who: Client, { url }: RunningProgram) => client(url, who.id, who.token)
const tellToStop = (program: RunningProgram) => void process.kill(program.pid, 'SIGTERM')

async function untilEnded(program: RunningProgram): Promise<number> {
  const began = performance.now()
  await until('the end of the server', program.hasEnded, MAX_STOP_MS + 2 * SLACK_MS)
  return performance.now() - began
}

test('a stop under load delivers every acknowledged write to all subscribers', async () => {
  const server = await open()
  const ears = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      TestListener.on(
        server.url,
        i % 2 ? root.token : user.token,
        i % 3 ? 'contacts' : 'contacts/*',
      ),
    ),
  )
  const acknowledged: string[] = []
  let isOver = false
  const write = async (writer: number) => {
    for (let i = 0; !isOver; i++) {
      const phone = `+4915${writer}${String(i).padStart(6, '0')}`
      const body = { user: user.id, name: `${writer} ${i}`, phone }
      const answer = await at(root, server)
        .call('POST', '/api/collections/contacts/records', body)
        .catch(() => undefined)
      if (!answer) return
      expect(answer.status).toBe(200)
      acknowledged.push(answer.body.id)
    }
  }
  const writing = Promise.all(Array.from({ length: 8 }, (_, i) => write(i)))
  await expect.poll(() => acknowledged.length, { timeout: 40_000 }).toBeGreaterThan(200)
  tellToStop(server)
  expect(await untilEnded(server)).toBeLessThan(MAX_STOP_MS + SLACK_MS)
  isOver = true
  await writing
  for (const ear of ears) {
    await ear.ended
    const heard = new Set(ear.heard.map(({ data }) => data.record.id))
    expect(acknowledged.filter((id) => !heard.has(id))).toEqual([])
  }
})

test('a stop answers a waiting claim, closes idle connections and lets a request in progress finish', async () => {
  const server = await open()
  const { hostname, port } = new URL(server.url)
  const headers = { ...KNOWN, 'content-type': 'application/json' }
  const agent = new Agent({ keepAlive: true })
  const claiming = request(`${server.url}/api/devices/claim`, {
    agent,
    method: 'POST',
    headers: { ...headers, authorization: device.token },
  })
  const claimed = once(claiming, 'response')
  claiming.flushHeaders()
  await once(claiming, 'continue')
  claiming.end('{"wait":30}')
  const idle = connect(Number(port), hostname)
  const errors: Error[] = []
  idle.on('error', (error) => errors.push(error))
  idle.write(`GET /api/health HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
  const [first] = await once(idle, 'data')
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*connection: keep-alive/i)
  const closed = once(idle, 'end')
  const asking = request(`${server.url}/api/collections/users/auth-with-password`, {
    method: 'POST',
    headers,
  })
  const answered = once(asking, 'response')
  asking.write('{"identity":"ann@example.com",')
  await once(asking, 'continue')
  await sleep(HANDLED_MS)
  tellToStop(server)
  // the claim gets nothing and is asked to hang up, the idle connection is closed, not torn
  const [claim] = await claimed
  const text = (await claim.toArray()).join('')
  expect([claim.statusCode, claim.headers.connection, text]).toEqual([200, 'close', '{"items":[]}'])
  await closed
  expect(errors).toEqual([])
  const isOpen = () => fetch(`${server.url}/api/health`).then(Boolean, () => false)
  await expect.poll(isOpen).toBe(false)
  asking.end(`"password":"${PASSWORD}"}`)
  const [answer] = await answered
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close'])
  // a connection that is still open holds it up to the end
  expect(await untilEnded(server)).toBeLessThan(MAX_STOP_MS - 2_000)
  agent.destroy()
})

test.concurrent('a request that never ends does not delay the stop', async () => {
  const server = await open()
  const path = '/api/collections/users/auth-with-password'
  const asking = request(server.url + path, { method: 'POST', headers: KNOWN })
  asking.on('error', () => {})
  asking.write('{')
  await once(asking, 'continue')
  tellToStop(server)
  expect(await untilEnded(server)).toBeLessThan(MAX_STOP_MS + SLACK_MS)
})

test.concurrent('with STOP_DELAY_SECONDS the readiness probe fails first while requests are still served', async ({
  expect,
}) => {
  const slow = await open({
    STOP_DELAY_SECONDS: '2',
    ...(env.DATA_DIR && { DATA_DIR: `${folder}/delayed` }),
  })
  const ready = () => at(root, slow).call('GET', '/api/ready')
  expect((await ready()).status).toBe(200)
  tellToStop(slow)
  await expect.poll(async () => (await ready()).status).toBe(503)
  expect((await ready()).body).toMatchObject({
    ready: false,
    serving: false,
    database: { reachable: true },
  })
  expect((await fetch(`${slow.url}/api/health`)).status).toBe(200)
  expect(await untilEnded(slow)).toBeLessThan(MAX_STOP_MS)
})

test.concurrent("a stop delivers another node's event to the device stream first", async () => {
  const [other, stopping] = await Promise.all([open(), open()])
  const stream = await openStream(stopping.url, device.token)
  const body = { recipients: ['+4915112345678'], body: 'Hello', device_id: device.id }
  const { message_ids } = (await at(user, other).call('POST', '/api/sms/send', body)).body
  const canceled = await at(user, other).call('POST', `/api/sms/messages/${message_ids[0]}/cancel`)
  expect(canceled.status).toBe(200)
  tellToStop(stopping)
  await stream.ended
  const heard = stream.heard.map(({ name, data }) => (name === 'wake' ? name : JSON.parse(data).id))
  expect(heard).toContain(message_ids[0])
  expect(heard).toContain('wake')
  await untilEnded(stopping)
})
