import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ANN, PHONES } from '../support/server/server-with-users.ts'
import { startSmsgateApiFixture } from '../support/smsgate/smsgate-api-fixture.ts'
import { hasNpmClient, hasPythonClient, npmClient, PYTHON_FOLDER } from './door-clients.ts'

// The published clients as they are, with nothing but another base URL and other credentials.

const run = promisify(execFile)
const PREFIXES = ['/api/3rdparty/v1', '/3rdparty/v1']

const fixture = await startSmsgateApiFixture()
const key = await fixture.makeKey()
await fixture.server.rows(
  `insert into sms_messages (id, "user", status, message_type, "from", body, device, delivered_at, created, updated)
  values ('incoming0000001', $1, 'received', 'incoming', '+4922200', 'Hi', $2, pb_text(now()), pb_text(now()), pb_text(now()))`,
  [ANN.id, PHONES[0]],
)

await fixture.server.rows(`update lines set mms = 'on' where "user" = $1`, [ANN.id])

/** What the client's own README has for Node. */
const httpClient = {
  get: (url: string, headers: Record<string, string>) => call(url, { method: 'GET', headers }),
  delete: (url: string, headers: Record<string, string>) =>
    call(url, { method: 'DELETE', headers }),
  post: (url: string, body: unknown, headers: Record<string, string>) =>
    call(url, { method: 'POST', headers, body: JSON.stringify(body) }),
  put: (url: string, body: unknown, headers: Record<string, string>) =>
    call(url, { method: 'PUT', headers, body: JSON.stringify(body) }),
  patch: (url: string, body: unknown, headers: Record<string, string>) =>
    call(url, { method: 'PATCH', headers, body: JSON.stringify(body) }),
}
async function call(url: string, init: RequestInit) {
  const response = await fetch(url, init)
  if (!response.ok)
    throw new Error(
      `${response.status} ${((await response.json()) as { message: string }).message}`,
    )
  return response.status === 204 ? undefined : response.json()
}

describe.skipIf(!hasNpmClient()).each(PREFIXES)("SMSGate's npm client at %s", (prefix) => {
  // biome-ignore lint/suspicious/noExplicitAny: the types of a package that is not ours
  let client: any
  beforeAll(async () => {
    const { default: Client } = await import(pathToFileURL(npmClient()).href)
    client = new Client(ANN.email, key, httpClient, `${fixture.server.url}${prefix}`)
  })

  test("SMSGate's npm client sends and reads the state of its send", async () => {
    const sent = await client.send(
      { message: 'From npm', phoneNumbers: ['+4911111'] },
      { skipPhoneValidation: false },
    )
    expect(sent).toMatchObject({ state: 'Pending', recipients: [{ phoneNumber: '+4911111' }] })
    expect(await client.getState(sent.id)).toEqual(sent)
    await expect(client.getState('nobody')).rejects.toThrow('404')
    await expect(client.send({ message: 'x', phoneNumbers: ['nobody'] })).rejects.toThrow(
      '400 phoneNumbers[0]',
    )
    await expect(client.send({ message: 'x', phoneNumbers: ['12345'] })).rejects.toThrow('400')
  })

  test("SMSGate's npm client adds, lists and deletes webhooks", async () => {
    const made = await client.registerWebhook({
      url: 'https://example.com/hook',
      event: 'sms:sent',
    })
    expect(await client.getWebhooks()).toEqual([made])
    await expect(
      client.registerWebhook({ url: 'http://example.com', event: 'sms:sent' }),
    ).rejects.toThrow('400 url')
    await expect(
      client.registerWebhook({ url: 'https://example.com', event: 'system:ping' }),
    ).rejects.toThrow('400 event')
    await client.deleteWebhook(made.id)
    expect(await client.getWebhooks()).toEqual([])
  })

  test("SMSGate's npm client reads devices, health, settings, logs and the inbox", async () => {
    expect(await client.getDevices()).toHaveLength(2)
    await expect(client.deleteDevice('nobody')).rejects.toThrow('404')
    expect((await client.getHealth()).checks['db:ping'].status).toBe('pass')
    expect((await client.getSettings()).ping).toEqual({ interval_seconds: 120 })
    await client.patchSettings({ webhooks: { signing_key: 'a key of the user' } })
    await client.updateSettings({ webhooks: { signing_key: 'another key of it' } })
    await expect(client.patchSettings({ messages: { limit_value: 1 } })).rejects.toThrow(
      '400 messages.limit_value',
    )
    await expect(client.getLogs(new Date(0), new Date())).rejects.toThrow('501')
    const period = { since: new Date(Date.now() - 86_400_000), until: new Date() }
    expect(await client.exportInbox({ deviceId: PHONES[0], ...period })).toEqual({})
    await expect(client.exportInbox({ deviceId: 'nobody', ...period })).rejects.toThrow(
      '400 deviceId',
    )
  })
})

describe.skipIf(!hasPythonClient()).each([
  ['requests', PREFIXES[0]!],
  ['httpx', PREFIXES[1]!],
])("SMSGate's Python client with %s", (library, prefix) => {
  test("SMSGate's Python client works in all its calls", async () => {
    const program = join(import.meta.dirname, 'smsgate-client.py')
    const url = `${fixture.server.url}${prefix}`
    const env = { ...process.env, PYTHONPATH: PYTHON_FOLDER }
    const { stdout } = await run('python3', [program, url, ANN.email, key, PHONES[0], library], {
      env,
    })
    expect(JSON.parse(stdout)).toEqual({
      send: [`python ${library}`, 'Pending', '+4911111'],
      'send picture': 'Pending',
      'send again': expect.stringContaining('409'),
      'send nowhere': expect.stringMatching(/^BadRequest/),
      state: 'Pending',
      'no state': expect.stringMatching(/^NotFound/),
      messages: expect.toSatisfy((count: number) => count > 0),
      cancel: null,
      'cancel again': expect.stringContaining('409'),
      canceled: 'Cancelled',
      webhook: 'https://example.com/hook',
      'wrong webhook': expect.stringMatching(/^BadRequest/),
      webhooks: 1,
      'delete webhook': null,
      devices: 2,
      'no device': expect.stringContaining('404'),
      settings: 120,
      'patch settings': 'ok',
      'update settings': 'ok',
      'wrong settings': expect.stringMatching(/^BadRequest/),
      logs: expect.stringContaining('501'),
      health_check: 'pass',
      liveness_check: 'pass',
      readiness_check: 'pass',
      startup_check: 'pass',
      export: 'ok',
      'refresh inbox': 'ok',
      inbox: ['+4922200'],
      attachment: expect.stringMatching(/^NotFound/),
      token: 1,
      'token elsewhere': expect.stringMatching(/^Forbidden/),
      'refresh token again': expect.stringMatching(/^Unauthorized/),
      revoke: null,
      revoked: expect.stringMatching(/^Unauthorized/),
      'wrong password': expect.stringMatching(/^Unauthorized/),
    })
  })
})
