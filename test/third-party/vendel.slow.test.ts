import { execFile } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { vendelBody } from '../../src/protocols/vendel/webhook.ts'
import { ANN, BEN, startServerWithUsers, TEMPLATES } from '../support/server/server-with-users.ts'
import { DOORS_PYTHON, hasVendel, VENDEL_NPM_FILE } from './door-clients.ts'

// The published SDKs as they are, with `/vendel` as base URL and a key of Vendel.

const run = promisify(execFile)
const server = await startServerWithUsers()
const url = `${server.url}/vendel/`
const KEY = `vk_${'k1'.repeat(16)}`
await server.rows(
  `insert into api_keys (id, "user", name, hash, scopes) values ('importedkey0000', $1, 'old', $2,
    '{messages:send,messages:read,messages:list,inbox:list,devices:list}')`,
  [ANN.id, createHash('sha256').update(KEY).digest('hex')],
)
await server.rows('update users set monthly_quota = 1 where id = $1', [BEN.id])

const image = { id: 'm1', created: '2026-01-01 00:00:00.000Z', body: 'Grüße <3', to: '+49', status: 'sent' }
const payload = vendelBody({ event: 'message.sent', image })
const signature = createHmac('sha256', 'whsec_x').update(payload).digest('hex')
const ARGUMENTS = [url, KEY, BEN.key, TEMPLATES.greeting, payload, signature, 'whsec_x']

const REFUSED = [400, 'Phone number must be in E.164 format.']
const QUOTA = [429, 'You can only send 1 more SMS this month', 1, 0, 1]
const GROUPS = ['empty', 'friends', 'left']
const READ = [2, 1, 2, '+4911111', 2, ['Zoe'], GROUPS, 2, ['+4922222'], REFUSED, QUOTA, true]

test.skipIf(!hasVendel('python'))('PyPI: every call', async () => {
  const program = join(import.meta.dirname, 'vendel-client.py')
  const env = { ...process.env, PYTHONPATH: DOORS_PYTHON }
  const { stdout } = await run('python3', [program, ...ARGUMENTS], { env })
  expect(JSON.parse(stdout)).toEqual(READ)
})

test.skipIf(!hasVendel('npm'))('npm: every call', async () => {
  const { VendelClient, verifyWebhookSignature } = await import(pathToFileURL(VENDEL_NPM_FILE).href)
  const client = new VendelClient({ baseUrl: url, apiKey: KEY })
  const to = ['+4911111', '+4922222']
  expect(await client.sendSms(to, 'Hi')).toMatchObject({ recipients_count: 2, status: 'accepted' })
  expect(await client.sendSmsTemplate(['+4933333'], TEMPLATES.greeting)).toMatchObject({ batch_id: '' })
  expect(await client.getQuota()).toMatchObject({ plan: 'pocketsms', devices_registered: 2 })
  const refused = { name: 'VendelAPIError', statusCode: 400, message: `[400] ${REFUSED[1]}` }
  await expect(client.sendSms(['017'], 'Hi')).rejects.toMatchObject(refused)
  const poor = new VendelClient({ baseUrl: url, apiKey: BEN.key })
  const quota = { name: 'VendelQuotaError', message: `[429] ${QUOTA[1]}`, limit: 1, used: 0, available: 1 }
  await expect(poor.sendSms(to, 'Hi')).rejects.toMatchObject(quota)
  for (const given of [payload, JSON.parse(payload)])
    expect(verifyWebhookSignature(given, signature, 'whsec_x')).toBe(true)
})
