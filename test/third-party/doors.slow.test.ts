import { execFile } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { writeVendelBody } from '../../src/protocols/vendel/vendel-webhook.ts'
import { ANN, BEN, startServerWithUsers, TEMPLATES } from '../support/server/server-with-users.ts'
import {
  DOORS_PYTHON,
  hasApprise,
  hasNovu,
  hasVendel,
  novuFile,
  VENDEL_NPM_FILE,
} from './door-clients.ts'

// The published tools as they are, with our address and an API key in their forms.

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const server = await startServerWithUsers()
const { hostname: host, port } = new URL(server.url)

beforeEach(() => server.rows('delete from sms_messages'))
const sent = async () =>
  (await server.rows('select "to", body from sms_messages order by "to"')).map((row) =>
    row.join(' '),
  )

describe.skipIf(!hasApprise())('Apprise', () => {
  const apprise = (targets: string, key = ANN.key) =>
    run(
      'python3',
      [
        join(DOORS_PYTHON, 'bin', 'apprise'),
        '-b',
        'Disk full',
        `smseagle://${key}@${host}:${port}/${targets}`,
      ],
      {
        env: { ...process.env, PYTHONPATH: DOORS_PYTHON },
      },
    )

  test('Apprise sends to a number, a group and a contact', async () => {
    await apprise('+4915112345678/%23friends/@Xaver?batch=yes&priority=high')
    const to = ['+4900001', '+4900002', '+4900003', '+4900005', '+4915112345678']
    expect(await sent()).toEqual(to.map((number) => `${number} Disk full`))
  })

  test('Apprise reports a failed send', async () => {
    await expect(apprise('+4915112345678', 'psk_nobodys')).rejects.toThrow('Command failed')
    await expect(apprise('@Abe')).rejects.toThrow('Command failed')
    expect(await sent()).toEqual([])
  })
})

describe.skipIf(!hasNovu())('Novu', () => {
  const text = { to: '+4915112345678', content: 'Your code: 123', id: 'novu1' }
  const user = { host, port, username: ANN.email, password: ANN.key, from: 'Shop' }
  const generic = {
    baseUrl: `${server.url}/api/v1/sms/send`,
    apiKeyRequestHeader: 'X-API-Key',
    apiKey: ANN.key,
    from: 'Shop',
  }
  const provider = (name: string, type: string, config: object) =>
    new (
      require(novuFile(name)) as Record<
        string,
        new (
          config: object,
        ) => { sendMessage(text: object): unknown }
      >
    )[type]!(config)

  test.each([
    ['kannel', 'KannelSmsProvider', user, { ...user, password: 'x' }],
    ['generic-sms', 'GenericSmsProvider', generic, { ...generic, apiKey: 'x' }],
  ])(
    'Novu sends by its provider %s and reports a wrong password',
    async (name, type, config, wrong) => {
      expect(await provider(name, type, config).sendMessage(text)).toEqual({
        id: expect.stringMatching(/^(novu1|\w{15})$/),
        date: expect.any(String),
      })
      expect(await sent()).toEqual(['+4915112345678 Your code: 123'])
      await expect(provider(name, type, wrong).sendMessage(text)).rejects.toThrow(/40[13]/)
      expect(await sent()).toHaveLength(1)
    },
  )
})

// The published SDKs as they are, with `/vendel` as base URL and a key of Vendel.

const url = `${server.url}/vendel/`
const KEY = `vk_${'k1'.repeat(16)}`
await server.rows(
  `insert into api_keys (id, "user", name, hash, scopes) values ('importedkey0000', $1, 'old', $2,
    '{messages:send,messages:read,messages:list,inbox:list,devices:list}')`,
  [ANN.id, createHash('sha256').update(KEY).digest('hex')],
)
await server.rows('update users set monthly_quota = 1 where id = $1', [BEN.id])

const image = {
  id: 'm1',
  created: '2026-01-01 00:00:00.000Z',
  body: 'Grüße <3',
  to: '+49',
  status: 'sent',
}
const payload = writeVendelBody({ event: 'message.sent', image })
const signature = createHmac('sha256', 'whsec_x').update(payload).digest('hex')
const ARGUMENTS = [url, KEY, BEN.key, TEMPLATES.greeting, payload, signature, 'whsec_x']

const REFUSED = [400, 'Phone number must be in E.164 format.']
const QUOTA = [429, 'You can only send 1 more SMS this month', 1, 0, 1]
const GROUPS = ['empty', 'friends', 'left']
const READ = [2, 1, 2, '+4911111', 2, ['Zoe'], GROUPS, 2, ['+4922222'], REFUSED, QUOTA, true]

test.skipIf(!hasVendel('python'))("Vendel's Python SDK works in all its calls", async () => {
  const program = join(import.meta.dirname, 'vendel-client.py')
  const env = { ...process.env, PYTHONPATH: DOORS_PYTHON }
  const { stdout } = await run('python3', [program, ...ARGUMENTS], { env })
  expect(JSON.parse(stdout)).toEqual(READ)
})

test.skipIf(!hasVendel('npm'))("Vendel's npm SDK works in all its calls", async () => {
  const { VendelClient, verifyWebhookSignature } = await import(pathToFileURL(VENDEL_NPM_FILE).href)
  const client = new VendelClient({ baseUrl: url, apiKey: KEY })
  const to = ['+4911111', '+4922222']
  expect(await client.sendSms(to, 'Hi')).toMatchObject({ recipients_count: 2, status: 'accepted' })
  expect(await client.sendSmsTemplate(['+4933333'], TEMPLATES.greeting)).toMatchObject({
    batch_id: '',
  })
  expect(await client.getQuota()).toMatchObject({ plan: 'pocketsms', devices_registered: 2 })
  const refused = { name: 'VendelAPIError', statusCode: 400, message: `[400] ${REFUSED[1]}` }
  await expect(client.sendSms(['017'], 'Hi')).rejects.toMatchObject(refused)
  const poor = new VendelClient({ baseUrl: url, apiKey: BEN.key })
  const quota = {
    name: 'VendelQuotaError',
    message: `[429] ${QUOTA[1]}`,
    limit: 1,
    used: 0,
    available: 1,
  }
  await expect(poor.sendSms(to, 'Hi')).rejects.toMatchObject(quota)
  for (const given of [payload, JSON.parse(payload)])
    expect(verifyWebhookSignature(given, signature, 'whsec_x')).toBe(true)
})
