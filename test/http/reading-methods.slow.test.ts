import { loadTables } from '../../src/engine/transfer/tables.ts'
import { createApp } from '../../src/main/app.ts'
import { DOOR_SENDS, SENDING_ROUTES } from '../protocols/door-sends.ts'
import { basic } from '../support/server/request.ts'
import { ANN, as, PHONES, startServerWithUsers } from '../support/server/server-with-users.ts'
import { until } from '../support/until.ts'

const server = await startServerWithUsers()
const [[root]] = (await server.rows('select id from _superusers')) as [[string]]
const { body: sent } = await server.send({ scheduled_at: '2099-01-01T00:00:00Z' })

/** GETs that change something, as the docs say. */
const CHANGE = [
  ...SENDING_ROUTES.filter((at) => at.startsWith('GET ')).map((at) => at.slice(4)),
  '/api/mobile/v1/message',
  '/api/mobile/v1/messages',
  '/api/mobile/v1/user/code',
  // these make a key when it is first asked for
  '/api/mobile/v1/webhooks',
  '/api/mobile/v1/settings',
  '/api/account/push-key',
  '/api/devices/push-key',
  '/api/account/smsgate-key',
]
/** These stay open until the client leaves. */
const STREAMS = ['/api/realtime', '/api/devices/events', '/api/mobile/v1/events']

const VALUES: Readonly<Record<string, string>> = {
  collection: 'contacts',
  id: sent.message_ids[0],
}
const TEXT = { to: '+4915112345678', text: 'Hi', key: ANN.key, user: ANN.email }
const QUERY = new URLSearchParams({
  ...Object.assign({}, ...DOOR_SENDS.map(({ fields }) => fields?.(TEXT))),
  contactname: 'Zoe',
  groupname: 'friends',
})

const paths = createApp(server.services)
  .routes.filter(({ method }) => method === 'GET')
  .map(({ path }) => path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => VALUES[name] ?? 'x'))
const gets = [...new Set(paths.map((path) => path.replace(/(.)\/$/, '$1')))]

const callers = [
  {},
  as(ANN),
  { 'access-token': ANN.key },
  basic(ANN.email, ANN.key),
  basic(ANN.email, ANN.password),
  await server.signedIn('users', ANN.id),
  await server.signedIn('devices', PHONES[0]),
  await server.signedIn('_superusers', root),
]

/** What each request leaves behind, whatever it asks. */
const TRACES = ['last_seen', 'last_used_at', 'last_used_ip', 'last_used_prefix', 'updated']

/** A hash of the rows of each table, without the request log. */
async function contents(): Promise<Record<string, unknown>> {
  const { db } = server.store.forEverybody('command')
  const names = (await loadTables(db)).map(({ name }) => name).filter((name) => name !== '_logs')
  const row = `(to_jsonb(t) - $1::text[])::text`
  const of = (name: string) =>
    `select '${name}', md5(string_agg(${row}, ' ' order by ${row})) from "${name}" t`
  const { rows } = await db.query(names.map(of).join(' union all '), [TRACES])
  return Object.fromEntries(rows)
}

async function askAll(method: string, path: string) {
  for (const headers of callers) {
    const init = { method, headers: headers as Record<string, string>, redirect: 'manual' } as const
    const answer = await fetch(`${server.url}${path}?${QUERY}`, init)
    await answer.body?.cancel()
  }
}

const KEPT_BY_HEAD = [...CHANGE, ...STREAMS]
// of all others HEAD is GET without the body
const reads = gets.map((path) => [KEPT_BY_HEAD.includes(path) ? 'HEAD' : 'GET', path] as const)

/** The tables after the request before. */
let known = await contents()

test.each(reads)('%s %s changes no table', async (method, path) => {
  const before = known
  await askAll(method, path)
  known = await contents()
  expect(known).toEqual(before)
})

const OTHERS = ['/api/oauth2-redirect', '/api/devices/carriers/calls/x']

test.each([...CHANGE, ...OTHERS])('HEAD %s is refused with 405', async (path) => {
  expect(gets).toContain(path)
  const refused = await fetch(`${server.url}${path}?${QUERY}`, { method: 'HEAD' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET'])
})

// the control: these requests do change something
test.each(CHANGE.filter((path) => !path.endsWith('-key')))(
  'GET %s changes a table, as documented',
  async (path) => {
    await server.rows('delete from smsgate_phones')
    await server.send({ device_id: PHONES[0] })
    const before = await contents()
    await askAll('GET', path)
    await until(
      'something changed',
      async () => JSON.stringify(await contents()) !== JSON.stringify(before),
    )
  },
)
