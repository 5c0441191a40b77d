import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { build } from 'vite'
import { PocketSms } from '../../clients/javascript/client.ts'
import { signHook, verifyWebhook } from '../../clients/javascript/webhooks.ts'
import { blocksOf, isScript, PROJECT, readPage } from '../docs/page.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeBreakableProxy } from '../support/services/breakable-proxy.ts'
import { listenLocally } from '../support/services/listen.ts'
import { BUN, DENO } from './runtimes.ts'

// The package as it is published, and the examples of its README as they stand, each as a program of its own.

const README = 'clients/javascript/README.md'
const MAX_WORDS = 400
const MAX_BYTES = 5_000
const SENDER = '+4915112345679'
const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const RUNTIMES: readonly [name: string, command: readonly string[] | undefined][] = [
  ['Node', [process.execPath]],
  ['Deno', DENO ? [DENO, 'run', '--allow-all', '--node-modules-dir=manual'] : undefined],
  ['Bun', BUN ? [BUN, 'run'] : undefined],
]

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const folder = temporaryFolder()
const tsc = (...args: string[]) =>
  execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), args, { cwd: folder, encoding: 'utf8' })

beforeAll(() => {
  const installed = join(folder, 'node_modules/pocketsms-client')
  mkdirSync(installed, { recursive: true })
  cpSync(join(PROJECT, 'clients/javascript/package.json'), join(installed, 'package.json'))
  tsc('-p', join(PROJECT, 'clients/javascript'), '--outDir', join(installed, 'dist'))
  const dependencies = { 'pocketsms-client': '*' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  const scripts = blocksOf(README).filter(isScript)
  expect(scripts).toHaveLength(PROGRAMS.length)
  for (const [i, { text }] of scripts.entries()) writeFileSync(join(folder, PROGRAMS[i]!), text)
})

/** The programs of the README, in its order. */
const PROGRAMS = ['send.mjs', 'receive.mjs', 'webhook.mjs', 'hook.mjs']

/** An account with all that the examples need, and a phone that delivers texts and receives one a second. */
async function makeAccount(port: number) {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user)
  const create = (collection: string, values: object) =>
    must(user, 'POST', `/api/collections/${collection}/records`, { user: user.id, ...values })
  const { items } = await must(user, 'GET', '/api/collections/lines/records')
  await must(user, 'PATCH', `/api/collections/lines/records/${items[0].id}`, { mms: 'on' })
  const { key } = await create('api_keys', { name: 'shop' })
  const template = await create('sms_templates', { name: 'Table', body: 'At {{time}}' })
  const url = `http://127.0.0.1:${port}`
  const { secret } = await create('webhooks', { url, events: ['message.received'] })
  const hook = await create('hooks', {
    name: 'Backup',
    preset: 'text',
    recipients: [SENDER],
    signing_secret: SIGNING_SECRET,
  })
  const env = {
    POCKETSMS_URL: gateway.url,
    POCKETSMS_KEY: key,
    POCKETSMS_TOKEN: user.token,
    TEMPLATE: template.id,
    WEBHOOK_SECRET: secret,
    SIGNING_SECRET,
    HOOK_URL: `${gateway.url}/api/hooks/${hook.secret}`,
    PORT: String(port),
  }
  return { env, phone }
}

async function playPhone(phone: Awaited<ReturnType<typeof makeAccount>>['phone']): Promise<void> {
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
  const reports = items.map(({ id, attempt }: { id: string; attempt: number }) => ({
    id,
    attempt,
    status: 'delivered',
  }))
  if (reports.length > 0) await must(phone, 'POST', '/api/devices/report', { items: reports })
  await gateway.hear(phone, [[SENDER, 'Stop the program']])
}

/** Starts a program. `output` is what it wrote so far. */
function start(command: readonly string[], file: string, env: Readonly<Record<string, string>>) {
  const [program, ...args] = command
  const child = spawn(program!, [...args, file], { cwd: folder, env: { ...process.env, ...env } })
  const written = { output: '', hasEnded: false }
  child.stdout.on('data', (chunk) => (written.output += chunk))
  child.stderr.on('data', (chunk) => (written.output += chunk))
  child.once('exit', () => (written.hasEnded = true))
  onTestFinished(() => void child.kill())
  return written
}

const ANSWERS: Readonly<Record<string, string>> = {
  'send.mjs':
    'delivered\ntrue\n400 invalid_phone_number Replace the first 0 by the country code, as in +4915112345678.\n',
  'receive.mjs': `${SENDER} Stop the program\n`,
  'hook.mjs': 'sent\n',
}

for (const [name, command] of RUNTIMES)
  test.skipIf(!command)(`the examples of the README run in ${name}`, async () => {
    const { env, phone } = await makeAccount(await freePort())
    const webhook = start(command!, 'webhook.mjs', env)
    const programs = Object.keys(ANSWERS).map((file) => [file, start(command!, file, env)] as const)
    const isOver = async () => {
      await playPhone(phone)
      return programs.every(([, { hasEnded }]) => hasEnded) && webhook.output !== ''
    }
    await expect.poll(isOver, { interval: 1_000, timeout: 60_000 }).toBe(true)
    expect(Object.fromEntries(programs.map(([file, { output }]) => [file, output]))).toEqual(
      ANSWERS,
    )
    expect(webhook.output).toMatch(/^(message\.received \S*\n)+$/)
    expect(webhook.hasEnded).toBe(false)
  })

test('texts that arrive while the connection is lost are received once', async () => {
  const { env, phone } = await makeAccount(await freePort())
  const proxy = await makeBreakableProxy(gateway.url)
  await proxy.connect()
  onTestFinished(() => proxy.disconnect())
  await gateway.hear(phone, [[SENDER, 'before']])
  const sms = new PocketSms(proxy.url, { token: env.POCKETSMS_TOKEN })
  const received = sms.receive({ since: new Date(Date.now() - 3_600_000) })
  const next = async () => (await received.next()).value?.body
  expect(await next()).toBe('before')
  const second = next()
  await gateway.hear(phone, [[SENDER, 'connected']])
  expect(await second).toBe('connected')
  const third = next()
  await proxy.disconnect()
  await gateway.hear(phone, [[SENDER, 'lost']])
  await proxy.connect()
  expect(await third).toBe('lost')
  const fourth = next()
  await gateway.hear(phone, [[SENDER, 'again']])
  expect(await fourth).toBe('again')
  await received.return()
})

test('a wrong token, and an API key, receive no texts but an error', async () => {
  const { env } = await makeAccount(await freePort())
  for (const credential of [{ token: 'wrong' }, { key: env.POCKETSMS_KEY }]) {
    const received = new PocketSms(gateway.url, credential).receive()
    await expect(received.next()).rejects.toMatchObject({ status: 401, name: 'PocketSmsError' })
  }
})

test('a send that a busy server refuses is repeated with the same key', async () => {
  const keys: unknown[] = []
  const server = createServer(({ headers }, response) => {
    keys.push(headers['idempotency-key'])
    if (keys.length < 3) response.writeHead(503).end('<html>busy</html>')
    else response.end('{"message_ids":["1"]}')
  })
  const { url } = await listenLocally(server)
  const sms = new PocketSms(`${url}/`, { key: 'psk_1' })
  const sent = await sms.send({ recipients: [SENDER], body: 'Hello' })
  expect(sent.message_ids).toEqual(['1'])
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
})

test('waiting for a text that fails throws the reason', async () => {
  const { env } = await makeAccount(await freePort())
  const sms = new PocketSms(gateway.url, { key: env.POCKETSMS_KEY })
  const { message_ids } = await sms.send({ recipients: [SENDER], body: 'Hello' })
  const [id] = message_ids as [string]
  const timeout = sms.waitUntil(id, 'sent', { timeoutMs: 1 })
  await expect(timeout).rejects.toMatchObject({ code: 'timeout' })
  const headers = { 'x-api-key': env.POCKETSMS_KEY }
  await fetch(`${gateway.url}/api/sms/messages/${id}/cancel`, { method: 'POST', headers })
  const failure = sms.waitUntil(id, 'delivered')
  await expect(failure).rejects.toMatchObject({ code: 'message_failed', message: 'Canceled' })
})

test('a program in TypeScript compiles with the types of the package', () => {
  writeFileSync(
    join(folder, 'program.ts'),
    `import { PocketSms, type SmsMessage } from 'pocketsms-client'
     import { verifyWebhook, type WebhookEvent } from 'pocketsms-client/webhooks'
     const sms = new PocketSms('https://sms.example.com', { key: 'psk_1' })
     const text: SmsMessage = await sms.getMessage('1')
     const event: WebhookEvent = await verifyWebhook('whsec_', new Headers(), '')
     const ref = event.type === 'audit.recorded' ? '' : event.data.client_ref
     export const status: 'sent' | string = text.status + ref
     // @ts-expect-error: a status that no message has
     text.status === 'gone'
     // @ts-expect-error: a field that no send has
     await sms.send({ recipients: [], text: 'Hello' })`,
  )
  const options = ['--strict', '--noEmit', '--ignoreConfig', '--target', 'esnext']
  tsc(...options, '--module', 'nodenext', '--types', '', '--lib', 'esnext,dom', 'program.ts')
})

test.each(['client', 'webhooks'])(
  `the entry %s has at most ${MAX_BYTES} bytes, minified, with all that it imports`,
  async (entry) => {
    const built = await build({
      configFile: false,
      logLevel: 'silent',
      build: {
        write: false,
        minify: true,
        target: 'es2023',
        modulePreload: false,
        rollupOptions: {
          input: join(PROJECT, `clients/javascript/${entry}.ts`),
          preserveEntrySignatures: 'strict',
        },
      },
    })
    const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []))
    const [chunk] = chunks
    expect(chunks).toHaveLength(1)
    expect(chunk).toMatchObject({ imports: [] })
    expect('code' in chunk! && chunk.code.length).toBeLessThanOrEqual(MAX_BYTES)
  },
)

test('the package depends on no other', () => {
  const settings = JSON.parse(
    readFileSync(join(PROJECT, 'clients/javascript/package.json'), 'utf8'),
  )
  expect(Object.keys(settings).filter((name) => /dependencies/i.test(name))).toEqual([])
})

test(`the README has at most ${MAX_WORDS} words`, () => {
  expect(readPage(README).trim().split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS)
})

describe('signatures', () => {
  const body = '{"type":"webhook.test","data":{"to":"Zoë"}}'
  const library = new Webhook(SIGNING_SECRET)
  const sign = (at = new Date()) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': `v1,AAAA ${library.sign('msg_1', at, body)}`,
  })

  test("the client accepts a call that the scheme's library signed, as text and as bytes", async () => {
    const event = JSON.parse(body)
    expect(await verifyWebhook(SIGNING_SECRET, sign(), body)).toEqual(event)
    const headers = new Headers(sign())
    expect(await verifyWebhook(SIGNING_SECRET, headers, Buffer.from(body))).toEqual(event)
  })

  test("the scheme's library accepts what the client signed", async () => {
    expect(library.verify(body, await signHook(SIGNING_SECRET, body))).toEqual(JSON.parse(body))
  })

  test.each<[string, Record<string, string>, string]>([
    ['another body', sign(), `${body} `],
    ['no headers', {}, body],
    ['an old time', sign(new Date(Date.now() - 400_000)), body],
    ['a time to come', sign(new Date(Date.now() + 400_000)), body],
    ['a time that is no number', { ...sign(), 'webhook-timestamp': 'now' }, body],
    ['no Base64', { ...sign(), 'webhook-signature': 'v1,ä' }, body],
    [
      'another version',
      { ...sign(), 'webhook-signature': sign()['webhook-signature'].replaceAll('v1', 'v2') },
      body,
    ],
  ])('the client refuses a call with %s', async (_, headers, posted) => {
    await expect(verifyWebhook(SIGNING_SECRET, headers, posted)).rejects.toMatchObject({
      code: 'invalid_signature',
    })
  })
})
