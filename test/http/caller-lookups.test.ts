import { watchStatements } from '../support/database/watch-statements.ts'
import { request } from '../support/server/request.ts'
import { makeUser, must } from '../support/server/server-with-devices.ts'
import { startCallersFixture } from './callers-fixture.ts'

// How many statements look up who asks. Limits and the route share them.

const { server, user, line, wrong, ways, send } = await startCallersFixture()
const settings = () => server.server.services.settings
const rules = [{ label: '/api/', audience: '', duration: 60, maxRequests: 10_000 }]
afterEach(() => settings().save({ rateLimits: { enabled: false, rules: [], excludedIPs: [] } }))

/** The statements that look up a token or an API key while `ask` runs. */
async function countLookups(ask: () => Promise<unknown>): Promise<number> {
  const sent = await watchStatements(['lookUp'], ask)
  // those that also read when the record was changed
  return sent.filter(({ text }) => text.includes('b.xmin::text')).length
}

const TEXT = { recipients: ['+4915112345678'], body: 'Hi' }
/** A send with this many blanks behind its JSON. */
const sendAs = (headers: Record<string, string>, bytes = 0) =>
  request(server.url, 'POST', '/api/sms/send', JSON.stringify(TEXT) + ' '.repeat(bytes), headers)
const view = (token: string) =>
  request(server.url, 'GET', `/api/collections/lines/records/${line}`, undefined, {
    authorization: token,
  })

async function makeKeyOfNewUser() {
  const owner = await makeUser(server.url, server.superuser)
  await server.pair(owner)
  const values = { user: owner.id, name: 'k' }
  return (await must(owner, 'POST', '/api/collections/api_keys/records', values)).key as string
}

describe.each([
  ['without rate limits', false],
  ['with rate limits', true],
])('%s', (_, enabled) => {
  beforeEach(() => settings().save({ rateLimits: { enabled, rules } }))

  test('a view with a token that is cached looks up no caller', async () => {
    expect((await view(user.token)).status).toBe(200)
    expect(await countLookups(() => view(user.token))).toBe(0)
  })

  test.each([0, 70_000])(
    'a send with a key that is cached looks up no caller: %d bytes',
    async (bytes) => {
      const key = await makeKeyOfNewUser()
      const send = () => countLookups(() => sendAs({ 'x-api-key': key }, bytes))
      // the first use of a minute changes the record of the key, so this send may read it again
      expect(await send()).toBeLessThanOrEqual(2)
      await send()
      expect(await send()).toBe(0)
    },
  )

  test.each([0, 70_000])('a forged key is looked up once: %d bytes', async (bytes) => {
    expect(await countLookups(() => sendAs({ 'x-api-key': wrong }, bytes))).toBe(1)
  })

  test.each(ways.map((way) => [way.name, way] as const))(
    'forged credentials are looked up once: %s',
    async (_, way) => {
      // a device whose user is disabled gets another answer, so its token is looked up for this, too
      const most = way.path.startsWith('/api/devices') ? 2 : 1
      for (const bytes of [10, 66_000])
        expect(await countLookups(() => send(way, way.forged, bytes))).toBeLessThanOrEqual(most)
    },
  )
})
