import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'
import { request } from '../support/server/request.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { until } from '../support/until.ts'
import { AUTH_FOLDER, hasAuthServers } from '../third-party/door-clients.ts'
import { blocksOf } from './page.ts'

// Auth servers sign somebody in whose phone reads the codes, set up as docs/recipes/auth-servers.md says.

const fixture = await startServerWithDevices()
const ann = await fixture.makeUser()
const phone = await fixture.pair(ann)
const TO = '+4915112345678'
const blockWith = (word: string) =>
  blocksOf('docs/recipes/auth-servers.md').find(({ text }) => text.includes(word))!.text

const makeHook = (preset: string): Promise<{ secret: string }> =>
  must(ann, 'POST', '/api/collections/hooks/records', { user: ann.id, name: preset, preset })

/** The six digits of the text that the phone gets next. */
async function readCode(): Promise<string> {
  const claim = async () => (await must(phone, 'POST', '/api/devices/claim', { limit: 1 })).items[0]
  const { id, attempt, to, body } = await until('a text comes', claim)
  await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
  expect(to).toBe(TO)
  return /\d{6}/.exec(body)![0]
}

const wrongOf = (code: string) => String(999_999 - Number(code)).padStart(6, '0')

const kratos = process.env.KRATOS ?? 'kratos'
const PHONE = {
  type: 'string',
  format: 'tel',
  'ory.sh/kratos': {
    credentials: { code: { identifier: true, via: 'sms' } },
    verification: { via: 'sms' },
  },
}
const SCHEMA = {
  $id: 'https://example.com/person',
  type: 'object',
  properties: { traits: { type: 'object', properties: { phone: PHONE }, required: ['phone'] } },
}

/** Starts Kratos with the page's courier, and makes somebody with the phone. Returns its public address. */
async function startKratos(secret: string): Promise<string> {
  const [port, admin] = [await freePort(), await freePort()]
  const page = blockWith('courier:')
    .replace('https://sms.example.com', fixture.url)
    .replace('SECRET', secret)
  const ui = { ui_url: 'http://127.0.0.1/' }
  const settings = {
    ...parse(page),
    dsn: 'memory',
    serve: { public: { host: '127.0.0.1', port }, admin: { host: '127.0.0.1', port: admin } },
    identity: {
      default_schema_id: 'person',
      schemas: [
        { id: 'person', url: `base64://${Buffer.from(JSON.stringify(SCHEMA)).toString('base64')}` },
      ],
    },
    selfservice: {
      default_browser_return_url: ui.ui_url,
      methods: {
        code: { enabled: true, passwordless_enabled: true },
        password: { enabled: false },
      },
      flows: { login: ui },
    },
  }
  const file = join(temporaryFolder(), 'kratos.yml')
  writeFileSync(file, stringify(settings))
  const args = ['serve', '--dev', '--watch-courier', '--config', file]
  const running = await startProgram(kratos, args, {}, `http://127.0.0.1:${port}`, '/health/ready')
  onTestFinished(() => running.stop())
  const person = { schema_id: 'person', traits: { phone: TO } }
  expect(
    (await request(`http://127.0.0.1:${admin}`, 'POST', '/admin/identities', person)).status,
  ).toBe(201)
  return running.url
}

test.skipIf(!runs(kratos, 'version'))('Ory Kratos signs a user in by a texted code', async () => {
  const url = await startKratos((await makeHook('kratos')).secret)
  const { body } = await request(url, 'GET', '/self-service/login/api')
  const { pathname, search } = new URL(body.ui.action)
  const submit = (values: object) =>
    request(url, 'POST', pathname + search, { method: 'code', identifier: TO, ...values })
  expect((await submit({})).body.state).toBe('sent_email')
  const code = await readCode()
  expect((await submit({ code: wrongOf(code) })).status).toBe(400)
  expect((await submit({ code })).body.session_token).toMatch(/^ory_st_/)
})

test.skipIf(!hasAuthServers())("Logto's connector sends a code", async () => {
  const { secret } = await makeHook('logto')
  const { default: createConnector } = await import(
    join(AUTH_FOLDER, 'node_modules', '@logto', 'connector-http-sms', 'lib', 'index.js')
  )
  const config = { endpoint: `${fixture.url}/api/hooks`, authorization: `Bearer ${secret}` }
  const connector = await createConnector({ getConfig: async () => config })
  const send = (to: string) =>
    connector.sendMessage({ to, type: 'SignIn', payload: { code: '471103' } })
  await send(TO.slice(1))
  expect(await readCode()).toBe('471103')
  await expect(send('0151 1')).rejects.toThrow('Recipient 1 is not a number')
})

/** Starts a server of better-auth's with the page's file. Returns its address. */
async function startBetterAuth(): Promise<string> {
  const { key } = await must(ann, 'POST', '/api/collections/api_keys/records', {
    user: ann.id,
    name: 'App',
  })
  const [file, port] = [join(AUTH_FOLDER, `auth-${process.pid}.mjs`), await freePort()]
  const server = `import { createServer } from 'node:http'
    import { toNodeHandler } from 'better-auth/node'
    const handle = toNodeHandler(auth)
    createServer((req, res) => (req.url === '/' ? res.end() : handle(req, res))).listen(${port}, '127.0.0.1')`
  writeFileSync(file, `${blockWith('betterAuth')}\n${server}`)
  const url = `http://127.0.0.1:${port}`
  const own = {
    BETTER_AUTH_URL: url,
    BETTER_AUTH_SECRET: 'x'.repeat(32),
    BETTER_AUTH_TELEMETRY: '0',
  }
  const env = { ...own, POCKETSMS_URL: fixture.url, POCKETSMS_KEY: key }
  const running = await startProgram(process.execPath, [file], env, url, '/')
  onTestFinished(async () => {
    await running.stop()
    rmSync(file)
  })
  return url
}

test.skipIf(!hasAuthServers())('better-auth signs a user in by a texted code', async () => {
  const url = await startBetterAuth()
  const ask = (path: string, values: object) =>
    request(url, 'POST', `/api/auth/phone-number/${path}`, { phoneNumber: TO, ...values })
  expect((await ask('send-otp', {})).status).toBe(200)
  const code = await readCode()
  expect((await ask('verify', { code: wrongOf(code) })).status).toBe(400)
  const { headers, body } = await ask('verify', { code })
  expect(body).toMatchObject({ status: true, user: { phoneNumber: TO, phoneNumberVerified: true } })
  const cookie = headers.get('set-cookie')!
  const session = await request(url, 'GET', '/api/auth/get-session', undefined, { cookie })
  expect(session.body.user.phoneNumber).toBe(TO)
  expect((await ask('verify', { code })).status).toBe(400)
  const refused = await ask('send-otp', { phoneNumber: '0151 1' })
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/number/)])
})
