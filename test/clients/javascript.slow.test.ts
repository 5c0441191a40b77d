import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { build } from 'vite'
import { PocketSms } from '../../clients/javascript/client.ts'
import { CHROMIUM, FLAGS } from '../browser/support/browser.ts'
import { blocksOf, isScript, PROJECT, readPage } from '../docs/page.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeBreakableProxy } from '../support/services/breakable-proxy.ts'
import { listenLocally } from '../support/services/listen.ts'
import { BUN, DENO, TYPESCRIPT_5 } from './runtimes.ts'

// The package as it is published, and the examples of its README as they stand, each as a program of its own.

const README = 'clients/javascript/README.md'
const MAX_WORDS = 700
const MAX_BYTES = 9_000
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
  const source = join(PROJECT, 'clients/javascript')
  for (const file of ['package.json', 'commonjs/package.json'])
    cpSync(join(source, file), join(installed, file))
  tsc('-p', source, '--outDir', join(installed, 'dist'))
  tsc('-p', join(source, 'tsconfig.commonjs.json'), '--outDir', join(installed, 'commonjs'))
  const dependencies = { 'pocketsms-client': '*' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  const scripts = blocksOf(README).filter(isScript)
  expect(scripts).toHaveLength(PROGRAMS.length)
  for (const [i, { text }] of scripts.entries()) writeFileSync(join(folder, PROGRAMS[i]!), text)
})

const PROGRAM = `import { PocketSms, type SmsMessage } from 'pocketsms-client'
  import { verifyWebhook, type WebhookEvent } from 'pocketsms-client/webhooks'
  export async function run(): Promise<string> {
    const sms = new PocketSms('https://sms.example.com', { key: 'psk_1', attempts: 1 })
    const text: SmsMessage = await sms.getMessage('1')
    const event: WebhookEvent = await verifyWebhook('whsec_', new Headers(), '')
    await verifyWebhook('whsec_', { headers: { 'Webhook-Id': ['1'] } }, '')
    const ref = event.type === 'audit.recorded' ? '' : event.data.client_ref
    await sms.send({ recipients: [], body: 'Hello', scheduled_at: new Date() })
    // @ts-expect-error: a status that no message has
    text.status === 'gone'
    // @ts-expect-error: a field that no send has
    await sms.send({ recipients: [], text: 'Hello' })
    return text.status + ref
  }`

/** Runs in a page. Its text, as the runner of tests would change its import. */
const IN_PAGE = `async ({ url, other, key, to }) => {
  const { PocketSms } = await import('/client.js')
  const sms = new PocketSms(url, { key })
  const file = new File(['Fish, chips'], 'menu.txt', { type: 'text/plain' })
  const { status: sent } = await sms.send({ recipients: [to], attachments: [file], ttl: 60 })
  await sms.startVerification({ to })
  const { retryAfterMs: waitMs } = await sms.startVerification({ to }).catch((error) => error)
  const elsewhere = new PocketSms(other, { key }).send({ recipients: [to], body: 'x' })
  const { code } = await elsewhere.catch((error) => error)
  return { sent, code, waitMs }
}`

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

test('a file goes to 1,000 recipients at a date, in two parts', async () => {
  const { env } = await makeAccount(await freePort())
  const sms = new PocketSms(gateway.url, { key: env.POCKETSMS_KEY })
  const recipients = Array.from({ length: 1_000 }, (_, i) => `+49151${20_000_000 + i}`)
  const scheduled_at = new Date(Date.now() + 86_400_000)
  const attachments = [new File(['Fish, chips'], 'menu.txt', { type: 'text/plain' })]
  const text = { recipients, scheduled_at, sim: null, group_ids: null, attachments }
  const sent = await sms.send(text, { idempotencyKey: 'menu' })
  expect(sent).toMatchObject({ recipients_count: 1_000 })
  expect(await sms.send(text, { idempotencyKey: 'menu' })).toEqual(sent)
  const at = scheduled_at.toISOString().replace('T', ' ')
  const first = await sms.getMessage(sent.message_ids[0]!)
  expect(first).toMatchObject({ scheduled_at: at, status: 'pending' })
  expect(first.attachments).toHaveLength(1)
})

test('texts are previewed, listed, counted and canceled', async () => {
  const { env } = await makeAccount(await freePort())
  const sms = new PocketSms(gateway.url, { key: env.POCKETSMS_KEY })
  const recipients = [SENDER, '+4915112345678']
  expect(await sms.preview({ recipients, body: 'Hello' })).toMatchObject({ total_segments: 2 })
  const later = { recipients, body: 'Hello', scheduled_at: '2099-01-01 08:00:00Z' }
  const { batch_id, message_ids } = await sms.send(later)
  const { used } = await sms.getUsage()
  expect(used).toBe(2)
  const { items, totalItems } = await sms.listMessages({ batch: batch_id, perPage: 1 })
  expect([items.map(({ id }) => id), totalItems]).toEqual([message_ids.slice(0, 1), 2])
  expect((await sms.listMessages({ ids: message_ids })).items).toHaveLength(2)
  expect(await sms.cancelMessage(message_ids[0]!)).toMatchObject({ error_message: 'Canceled' })
  expect(await sms.cancelBatch(batch_id)).toMatchObject({ canceled: 1 })
  expect(await sms.getUsage()).toMatchObject({ used: 0 })
})

test('a number is verified by a code', async () => {
  const { env, phone } = await makeAccount(await freePort())
  const sms = new PocketSms(gateway.url, { key: env.POCKETSMS_KEY })
  const started = await sms.startVerification({ to: SENDER, locale: 'de' })
  expect(started.status).toBe('pending')
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
  const [code] = /\d{6}/.exec(items[0].body)!
  const wrong = code === '000000' ? '111111' : '000000'
  expect(await sms.checkVerification({ to: SENDER, code: wrong })).toMatchObject({ attempts: 1 })
  expect(await sms.checkVerification({ to: SENDER, code })).toMatchObject({ status: 'approved' })
  const canceled = sms.cancelVerification({ id: started.id })
  expect(await canceled).toMatchObject({ status: 'approved' })
})

test.skipIf(!existsSync(CHROMIUM))(
  'a page of another origin sends, and reads how long a busy server wants it to wait',
  async () => {
    const { env } = await makeAccount(await freePort())
    const busy = createServer((request, response) => {
      const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      if (request.method === 'OPTIONS') response.writeHead(204, headers).end()
      else response.writeHead(301, { ...headers, location: '/elsewhere' }).end()
    })
    const files = createServer((request, response) => {
      const file = join(folder, 'node_modules/pocketsms-client/dist', request.url!)
      const type = request.url === '/' ? 'text/html' : 'text/javascript'
      const body = /\.js$/.test(file) ? readFileSync(file) : ''
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    const [page, other] = [await listenLocally(files), await listenLocally(busy)]
    const chrome = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
    onTestFinished(() => chrome.close())
    const tab = await chrome.newPage()
    await tab.goto(page.url)
    const given = { url: gateway.url, other: other.url, key: env.POCKETSMS_KEY, to: SENDER }
    const found = await tab.evaluate(`(${IN_PAGE})(${JSON.stringify(given)})`)
    expect(found).toMatchObject({ sent: 'accepted', code: 'redirected' })
    expect((found as { waitMs: number }).waitMs).toBeGreaterThan(20_000)
  },
)

test.each([
  [TYPESCRIPT_5, '--module commonjs --moduleResolution node'],
  [TYPESCRIPT_5, '--module node16 --moduleResolution node16'],
  [undefined, '--module node16 --moduleResolution node16'],
  [undefined, '--module nodenext'],
  [undefined, '--module esnext --moduleResolution bundler'],
])('programs of both kinds compile with %s and %s, and find the types', (compiler, options) => {
  if (compiler && !existsSync(compiler)) return
  for (const type of ['module', 'commonjs']) {
    const home = join(folder, type)
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(home, 'program.ts'), PROGRAM)
    const common = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom,dom.iterable',
    ]
    const args = [...common, '--typeRoots', home, ...options.split(' '), join(home, 'program.ts')]
    if (compiler) execFileSync(process.execPath, [compiler, ...args], { cwd: folder })
    else tsc('--ignoreConfig', ...args)
  }
})

test('a program in CommonJS loads the package', () => {
  const program = `const { PocketSms } = require('pocketsms-client')
    const { verifyWebhook } = require('pocketsms-client/webhooks')
    console.log(typeof PocketSms, typeof verifyWebhook)`
  writeFileSync(join(folder, 'program.cjs'), program)
  const run = execFileSync(process.execPath, ['program.cjs'], { cwd: folder, encoding: 'utf8' })
  expect(run).toBe('function function\n')
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
