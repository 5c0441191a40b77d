import { tablesWith } from '../support/database/dump.ts'
import { describedRequests, placed } from '../support/server/described-requests.ts'
import { basic, request } from '../support/server/request.ts'
import { ANN, as, PHONES, startServerWithUsers } from '../support/server/server-with-users.ts'
import { TRIES_ALL } from '../support/tries-all.ts'

const server = await startServerWithUsers({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const [[root]] = (await server.rows('select id from _superusers')) as [[string]]
const hook = { user: ANN.id, name: 'Mail', preset: 'text', recipients: ['+4911111'] }
const user = await server.signedIn('users', ANN.id)
const { body: made } = await server.ask('POST', '/api/collections/hooks/records', hook, user)

/** Values that no reader of texts, numbers or lists expects. `toString` breaks `String()` and templates. */
const STRANGE = [{ toString: 1, valueOf: 1 }, [{ toString: 1 }, ['x']]]
const PARAMETERS: Readonly<Record<string, string>> = {
  secret: made.secret,
  collection: 'contacts',
  id: ANN.id,
}
// MCP's library answers errors of JSON-RPC by itself: test/protocols/mcp/hostile
const bodies = describedRequests(server.services, PARAMETERS).filter(
  ({ path, types }) => path !== '/mcp' && types.includes('application/json'),
)

const callers = [
  {},
  { ...as(ANN), 'access-token': ANN.key },
  basic(ANN.email, ANN.password),
  user,
  await server.signedIn('devices', PHONES[0]),
  await server.signedIn('_superusers', root),
]

test.each(bodies)(
  '$method $path never fails with 500 for strange values',
  async ({ method, path, example, properties }) => {
    const strange: unknown[] = STRANGE.flatMap((value) => [
      value,
      ...properties.map((each) => ({ ...example, ...placed(each, value) })),
    ])
    const faults = new Set<string>()
    const askAs = (who: typeof callers, body: unknown) =>
      Promise.all(
        who.map(async (headers) => {
          const answer = await request(
            server.url,
            method,
            path,
            body,
            headers as Record<string, string>,
          )
          const isFault = answer.status === 500 || answer.text.includes('[object Object]')
          if (isFault) faults.add(`${answer.status} ${JSON.stringify(body)}`)
          return answer.status
        }),
      )
    const [first, ...others] = strange
    const statuses = await askAs(callers, first)
    // of a caller who is refused with no value in its place, no value is read
    const heard = callers.filter((_, i) => ![401, 403].includes(statuses[i]!))
    // a door whose credentials are in the body refuses everybody at first
    const asking = heard.length > 0 ? heard : callers
    // a landing has the callers ask in turn
    for (const [i, body] of others.entries())
      await askAs(TRIES_ALL ? asking : [asking[i % asking.length]!], body)
    expect([...faults]).toEqual([])
  },
)

test('no table has a strange value as text', async () => {
  expect(bodies.length).toBeGreaterThan(100)
  expect(await tablesWith(server.store.forEverybody('command').db, ['[object Object]'])).toEqual([])
})
