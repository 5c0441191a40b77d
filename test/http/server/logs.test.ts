import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { runServer } from '../../support/database/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import {
  type Client,
  startServerWithDevices,
  withDevices,
} from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'

const server = await startServerWithDevices()
const { guest, superuser } = server
const user = await server.makeUser()

interface Log {
  readonly id: string
  readonly created: string
  readonly level: number
  readonly message: string
  readonly data: Record<string, unknown>
}

/** The logs that a filter finds, oldest first, once there are as many. */
async function find(filter: string, count = 1, more = ''): Promise<Log[]> {
  const path = `/api/logs?sort=@rowid&filter=${encodeURIComponent(filter)}${more}`
  let found: Log[] = []
  await expect
    .poll(async () => {
      found = (await superuser.call('GET', path)).body.items
      return found.length
    })
    .toBe(count)
  return found
}
const saveLogs = (logs: object) => superuser.call('PATCH', '/api/settings', { logs })

test('failed requests are logged with their user and reason', async () => {
  const path = '/api/collections/contacts/records'
  await user.call('POST', path, { user: user.id, name: 'Ann', phone: '' })
  await user.call('GET', `${path}?filter=nope%20%3D%20%22secret%22&token=secret`)
  const filter = 'data.status >= 400 && data.auth = "users" && data.url ~ "contacts"'
  const [refused, broken] = await find(filter, 2)
  expect(refused).toEqual({
    id: expect.stringMatching(/^[a-z0-9]{15}$/),
    created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      auth: 'users',
      details: { phone: 'validation_required' },
      error: 'Failed to create record.',
      execTime: expect.any(Number),
      method: 'POST',
      referer: '',
      remoteIP: '127.0.0.1',
      status: 400,
      type: 'request',
      url: path,
      userAgent: 'node',
      userIP: '127.0.0.1',
    },
    message: `POST ${path}`,
    level: 8,
  })
  expect(broken!.message).toBe(`GET ${path}?filter=nope = …&token=…`)
  expect(JSON.stringify(broken)).not.toContain('secret')
  expect(broken!.data.error).toBe('invalid left operand "nope" - unknown field "nope"')
  expect((await superuser.call('GET', `/api/logs/${broken!.id}`)).body).toEqual(broken)
})

test.each([
  ['a name without quotes', 'filter=body = Anna', 'invalid right operand "…" - unknown field "…"'],
  ['an open quote', 'filter=body = "Anna "M', 'expected && or ||, got "…" (identifier)'],
  ['a wrong operator', 'filter=body == "Anna"', 'invalid sign operator "=="'],
  ['an unknown sort', 'sort=-state', 'invalid sort field "state"'],
  ['a wrong page', 'page=first', 'page is not a whole number'],
])(
  'a list with %s gets PocketBase’s answer, and the log has the cause without values',
  async (_, query, error) => {
    const path = `/api/collections/sms_messages/records?${encodeURI(query)}&at=${Math.random()}`
    const { status, body } = await user.call('GET', path)
    const message = 'Something went wrong while processing your request.'
    expect([status, body]).toEqual([400, { data: {}, message, status: 400 }])
    await expect
      .poll(async () => {
        const { body } = await superuser.call('GET', '/api/logs?sort=-@rowid&perPage=1')
        return body.items[0]?.data.error
      })
      .toBe(error)
  },
)

test('successful requests are logged if the settings ask for it', async () => {
  const ask = () => user.call('GET', '/api/collections/sms_templates/records?page=7')
  await ask()
  await saveLogs({ minLevel: -4 })
  await ask()
  const [log] = await find('data.url ~ "page=7"')
  expect([log!.level, log!.data.status, log!.data.error]).toEqual([-4, 200, undefined])
  await saveLogs({ minLevel: 0 })
  await find('data.url ~ "page=7"', 0)
})

test('addresses and user ids are logged according to the settings', async () => {
  await saveLogs({ logIP: false, logAuthId: true })
  await user.call('GET', '/api/settings?private')
  const [log] = await find('data.url ~ "private"')
  expect(log!.data).toMatchObject({ auth: 'users', authId: user.id, status: 403 })
  expect(Object.keys(log!.data)).not.toContain('userIP')
  await saveLogs({ logIP: true, logAuthId: false })
})

test("a send refused to an API key is logged with the key's user", async () => {
  const made = await user.call('POST', '/api/collections/api_keys/records', {
    user: user.id,
    name: 'shop',
  })
  const headers = { 'x-api-key': made.body.key, 'content-type': 'application/json' }
  const body = JSON.stringify({ recipients: ['Call "Ann"'], body: 'Hello' })
  await fetch(`${server.url}/api/sms/send`, { method: 'POST', headers, body })
  const [log] = await find('data.url = "/api/sms/send"')
  expect(log!.data).toMatchObject({
    auth: 'users',
    details: { code: 'invalid_phone_number' },
    error: 'Phone number must be in E.164 format',
    status: 400,
  })
})

test('a failed batch is logged with the error codes of its parts', async () => {
  const bad = { method: 'POST', url: '/api/collections/contacts/records', body: { name: 'Ann' } }
  await user.call('POST', '/api/batch', { requests: [bad] })
  const [log] = await find('data.url = "/api/batch"')
  expect(log!.data).toMatchObject({
    details: { requests: { 0: 'batch_request_failed' } },
    status: 400,
  })
})

test('statistics count the logs that a filter finds by hour', async () => {
  await find('data.url ~ "contacts"', 2)
  const ask = (filter: string) =>
    superuser.call('GET', `/api/logs/stats?filter=${encodeURIComponent(filter)}`)
  const { body } = await ask('data.url ~ "contacts"')
  expect(body.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(2)
  expect(body[0].date).toMatch(/^\d{4}-\d\d-\d\d \d\d:00:00\.000Z$/)
  expect((await ask('data.url = "nowhere"')).body).toEqual([])
})

test('logs can be paged and their fields chosen', async () => {
  const path = '/api/logs?perPage=1&sort=-@rowid&fields=message,data.status'
  const { body } = await superuser.call('GET', path)
  expect(body).toMatchObject({ page: 1, perPage: 1, items: [{ message: expect.any(String) }] })
  expect([Object.keys(body.items[0]), body.totalItems > 1]).toEqual([['data', 'message'], true])
})

test('with 0 days no logs are kept', async () => {
  await find('data.url ~ "contacts"', 2)
  await saveLogs({ maxDays: 0 })
  await user.call('GET', '/api/settings')
  await find('level > 0', 0)
  await saveLogs({ maxDays: 5 })
})

test('logs buffered when a server is stopped are stored', async () => {
  const folder = temporaryFolder()
  const config = await testConfig()
  const kept = config.databaseUrl ? config : { ...config, dataDir: folder }
  const first = await runServer(kept)
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  await fetch(`${first.url}/api/nowhere`)
  await first.stop()
  const again = await withDevices(await runServer(kept))
  const { body } = await again.superuser.call('GET', '/api/logs?filter=data.status%3D404')
  expect(body.items.map(({ message }: Log) => message)).toEqual(['GET /api/nowhere'])
  await again.stop()
})

test('/api/sql is refused to all callers', async () => {
  const ask = async (who: Client) =>
    (await who.call('POST', '/api/sql', { query: 'select 1' })).status
  expect([await ask(guest), await ask(user), await ask(superuser)]).toEqual([401, 403, 404])
})
