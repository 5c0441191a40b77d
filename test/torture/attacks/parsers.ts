import { filled, JSON_BAITS } from '../../parsers/bait.ts'
import { freePort } from '../../support/database/postgres.ts'
import { basic } from '../../support/server/request.ts'
import { handIn, receive } from '../hostile/receivers.ts'
import { type Attack, type AttackRun, asUser, byUser, must, type Prepared } from './attack.ts'
import { flood, query, type Shot } from './sockets.ts'

// The worst texts for each parser of the server, near the sizes and counts that its doors let through (30,000
// keys, 100,000 texts, lists and objects). They are played together: twenty tenants, each at another parser.

const CROWD = 'parsers'
const RECORDS = '/api/collections/contacts/records'
const MEBI = 1_040_000
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Prepare = (target: Parameters<NonNullable<Attack['prepare']>>[0]) => Promise<Prepared>

/** An attack by shots that are made once and repeat. */
const shots = (
  what: string,
  make: (prepared: Prepared) => readonly Shot[],
  prepare: Prepare = asUser(),
  isShort = false,
): Attack =>
  byUser(`parsers: ${what}`, { prepare, crowd: CROWD, isShort }, (run) => {
    const made = make(run.prepared)
    return flood(run, 2, (turn) => made[turn % made.length]!)
  })

/** JSON of a kind at a path, under a key. */
const json = (path: string, key: string, kind: RegExp, bytes: number): Shot[] =>
  JSON_BAITS.filter(([name]) => kind.test(name)).map(([, make]) => ({
    path,
    body: `{"${key}":${make(bytes)}}`,
  }))

const withKey = asUser(async (user, target) => {
  await target.addDevice(user)
  const values = { user: user.id, name: 'Shop', scopes: ['all:any'] }
  const { key } = await must(user, 'POST', '/api/collections/api_keys/records', values)
  const { email } = await must(user, 'GET', `/api/collections/users/records/${user.id}`)
  return { key, email }
})
const withTwilio = asUser(async (user) => {
  const values = { user: user.id, name: 'Twilio', twilio: true }
  const key = await must(user, 'POST', '/api/collections/api_keys/records', values)
  return { login: basic(key.account_sid, key.auth_token).authorization, sid: key.account_sid }
})
const withHook = asUser(async (user) => {
  const values = {
    user: user.id,
    name: 'Alarm',
    preset: 'custom',
    template: '{{a}}',
    recipients: ['+4915112345678'],
  }
  return { secret: (await must(user, 'POST', '/api/collections/hooks/records', values)).secret }
})
const withHtml = asUser(async (user) => {
  const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]))
  const contact = (i: number, data: object) => ({
    user: user.id,
    name: 'Ann',
    phone: `+491510000${i}`,
    data,
  })
  for (let i = 0; i < 3; i++) {
    await must(user, 'POST', RECORDS, contact(10 + i, { html: filled('<b><p>', 500_000) }))
    await must(user, 'POST', RECORDS, contact(20 + i, keys))
  }
})
const withDevice = asUser(async (user, target) => ({
  device: (await target.addDevice(user)).token,
}))
const withEcho = asUser(async (user, target) => {
  const port = await freePort()
  const made = { format: 'template', preset: 'custom', headers: { 'x-token': '{{token}}' } }
  await must(user, 'POST', '/api/collections/webhooks/records', {
    user: user.id,
    url: `http://127.0.0.1:${port}/`,
    events: ['message.received'],
    enabled: true,
    ...made,
    token: `${'\\'.repeat(200)}a`,
  })
  return { port: String(port), device: (await target.addDevice(user)).token }
})

const number = (i: number) => `+49151${2_000_000 + i}`
/** The last of them is none: all are read, and no text is stored. */
const numbers = (count: number) => [...Array.from({ length: count - 1 }, (_, i) => number(i)), '0']
const manyParts = (boundary: string) =>
  Array.from(
    { length: 999 },
    (_, i) => `--${boundary}\r\nContent-Disposition: form-data; name="k${i}"\r\n\r\nv\r\n`,
  )
    .join('')
    .concat(`--${boundary}--\r\n`)
const fields = Array.from({ length: 1_500 }, (_, i) => `data.k${i}`).join(',')
const topics = (turn: number) =>
  Array.from({ length: 400 }, (_, i) => {
    const filter = `name = "${turn} ${i}"${' || (name ~ "a" && phone != "b")'.repeat(40)}`
    return `contacts/*?options=${encodeURIComponent(JSON.stringify({ query: { filter } }))}`
  })
const authorized = ({ key }: Prepared) => ({ authorization: `Bearer ${key}`, 'x-api-key': key! })
const rpc = (params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
const mcpHead = (made: Prepared) => ({
  ...authorized(made),
  accept: 'application/json, text/event-stream',
})

export const parsers: readonly Attack[] = [
  shots('JSON of many keys', () => json(RECORDS, 'data', /keys/, 300_000), asUser(), true),
  shots('JSON of deep lists', () => json(RECORDS, 'data', /lists/, 190_000)),
  shots('JSON of short texts', () => [
    ...json(RECORDS, 'data', /short/, 850_000),
    ...json(RECORDS, 'data', /empty/, 290_000),
  ]),
  shots('JSON of numbers', () => [
    ...json(RECORDS, 'groups', /numbers|ones/, 1_500_000),
    // with two keys each, of 30,000
    ...json(RECORDS, 'groups', /objects with/, 800_000),
  ]),
  shots('long texts', () => json(RECORDS, 'name', /^text of/, MEBI), asUser(), true),
  shots('forms of many pairs', () => [
    { path: RECORDS, headers: FORM, body: 'a=1&'.repeat(9_999) },
    {
      path: RECORDS,
      headers: FORM,
      body: `@jsonPayload=${encodeURIComponent(filled('{"a":', 300_000))}`,
    },
    { path: RECORDS, headers: FORM, body: `name=${'%00'.repeat(600_000)}` },
  ]),
  shots('forms of many parts', () => [
    {
      path: RECORDS,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: manyParts('x'),
    },
  ]),
  byUser('parsers: filters and sorts', { crowd: CROWD, isShort: true }, (run) =>
    flood(run, 2, (turn) => {
      const filter = `id != "${turn}"${' && (name ~ "a" || user.email ?= "b")'.repeat(80)}`.slice(
        0,
        3_480,
      )
      return {
        path: `${RECORDS}?${query({ filter, sort: '-user.name,name,-phone', expand: 'user,groups' })}`,
      }
    }),
  ),
  shots(
    'fields and excerpts',
    () => [
      { path: `${RECORDS}?fields=${fields}` },
      { path: `${RECORDS}?fields=data.html:excerpt(100000,true)` },
    ],
    withHtml,
  ),
  byUser('parsers: topics with filters', { crowd: CROWD }, (run) =>
    flood(run, 1, (turn) => ({
      path: '/api/realtime',
      body: JSON.stringify({ clientId: 'x', subscriptions: topics(turn) }),
    })),
  ),
  shots(
    'lists of numbers at doors',
    (made) => [
      {
        path: '/jsonrpc/sms',
        body: JSON.stringify({
          method: 'sms.send_sms',
          params: { access_token: made.key, to: numbers(1_000).join(','), message: 'x' },
        }),
      },
      {
        path: '/api/v1/sms/send',
        headers: authorized(made),
        body: JSON.stringify({ to: numbers(1_000).join(','), body: 'x' }),
      },
      {
        path: '/vendel/api/sms/send',
        headers: authorized(made),
        body: JSON.stringify({ recipients: numbers(1_000), body: 'x' }),
      },
    ],
    withKey,
    true,
  ),
  shots(
    'numbers with spaces between',
    (made) => [
      {
        path: `/cgi-bin/sendsms?${query({ username: made.email!, password: made.key!, text: 'x', to: numbers(850).join(' ') })}`,
      },
    ],
    withKey,
  ),
  shots(
    'texts of marks',
    () => [
      {
        path: '/api/sms/preview',
        body: JSON.stringify({
          body: '\u0301'.repeat(1_600),
          recipients: Array.from({ length: 1_000 }, (_, i) => number(i)),
        }),
      },
      {
        method: 'PATCH',
        path: '/api/sms/messages/x',
        body: JSON.stringify({ body: '\u0301'.repeat(1_600) }),
      },
    ],
    asUser(),
    true,
  ),
  shots('texts of many variables', () => [
    {
      path: '/api/sms/preview',
      body: JSON.stringify({
        body: `ж{{name}}${'{{a|б}}'.repeat(200)}`,
        variables: Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`v${i}`, 'x'])),
        recipients: Array.from({ length: 1_000 }, (_, i) => number(i)),
      }),
    },
  ]),
  shots(
    'bodies of hooks',
    ({ secret }) => [
      { path: `/api/hooks/${secret}`, headers: FORM, body: `a=${'%00'.repeat(690_000)}` },
      { path: `/api/hooks/${secret}`, headers: FORM, body: `payload=${'['.repeat(2_000_000)}` },
      ...json(`/api/hooks/${secret}`, 'b', /keys|lists|short/, 110_000),
    ],
    withHook,
    true,
  ),
  byUser('parsers: templates of hooks', { crowd: CROWD }, (run) =>
    flood(run, 2, (turn) => ({
      path: '/api/hooks/preview',
      body: JSON.stringify({
        hook: {
          preset: 'custom',
          recipients: ['+4915112345678'],
          template: `${'{{#if a}}'.repeat(90)}${turn}${'{{/if}}'.repeat(90)}`,
        },
        body: filled('{"a":1} ', 250_000),
      }),
    })),
  ),
  shots(
    'JSON-RPC of assistants',
    (made) => [
      {
        path: '/mcp',
        headers: mcpHead(made),
        body: rpc({
          name: 'send_message',
          arguments: { recipients: numbers(1_000), body: 'x' },
        }),
      },
      {
        path: '/mcp',
        headers: mcpHead(made),
        body: rpc({
          name: 'preview_message',
          arguments: { body: filled('{{a}}', 900_000), variables: {} },
        }),
      },
    ],
    withKey,
  ),
  shots(
    "Twilio's forms",
    ({ login, sid }) => [
      {
        path: `/2010-04-01/Accounts/${sid}/Messages.json`,
        headers: { ...FORM, authorization: login! },
        body: `To=${'%EF%B7%BA'.repeat(100_000)}&Body=x`,
      },
      {
        path: `/2010-04-01/Accounts/${sid}/Messages.json`,
        headers: { ...FORM, authorization: login! },
        body: `To=%2B4915112345678&SmartEncoded=true&Body=${'%CC%81'.repeat(170_000)}`,
      },
    ],
    withTwilio,
  ),
  shots(
    'texts of a device',
    ({ device }) => [
      {
        path: '/api/devices/incoming',
        token: device!,
        body: JSON.stringify({
          items: Array.from({ length: 25 }, (_, i) => ({
            from: filled('ﷺ', 50),
            body: `${i}${'\u0301'.repeat(19_000)}`,
            received_at: '2026-01-01T00:00:00Z',
          })),
        }),
      },
    ],
    withDevice,
  ),
  byUser(
    'parsers: answers that quote a token',
    { prepare: withEcho, crowd: CROWD },
    (run: AttackRun) => {
      receive(run, (_, response) => response.writeHead(500).end('\\'.repeat(1_024)))
      return handIn(run)
    },
  ),
]
