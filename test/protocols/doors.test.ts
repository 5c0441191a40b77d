import {
  ANN,
  BEN,
  GROUPS,
  keyOf,
  startServerWithUsers,
} from '../support/server/server-with-users.ts'
import { DOOR_SENDS, SENDING_ROUTES, sendByDoor } from './door-sends.ts'

const MAX_RECIPIENTS = 5
const server = await startServerWithUsers({ SMS_MAX_RECIPIENTS: String(MAX_RECIPIENTS) })

beforeEach(() => server.rows('delete from sms_messages'))
const sent = async () =>
  (await server.rows(`select "to" || ' ' || body from sms_messages order by "to"`)).flat()

/** Status and body of an answer, JSON as such. */
async function ask(path: string, body?: object | string, headers: Record<string, string> = {}) {
  const init = typeof body === 'object' ? { body: JSON.stringify(body) } : { body }
  const form = typeof body === 'string' && { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await fetch(server.url + path, {
    ...(body !== undefined && { method: 'POST', ...init }),
    headers: { ...form, ...headers },
  })
  const text = await response.text()
  return [response.status, text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text]
}
const query = (path: string, values: Record<string, string>) =>
  ask(`${path}?${new URLSearchParams(values)}`)
const sms = (values: Record<string, string>) => query('/http_api/send_sms', values)
const contact = (contactname: string) =>
  query('/http_api/send_tocontact', { ...token, contactname })
const form = (values: Record<string, string>) =>
  ask('/http_api/send_sms', `${new URLSearchParams(values)}`)
const rpc = (method: string, params: object) => ask('/jsonrpc/sms', { method, params })
const v2 = (body: object, key = ANN.key) =>
  ask('/api/v2/messages/sms', body, { 'access-token': key })
const kuma = (body: object, key = ANN.key) => ask('/api/v1/sms/send', body, { 'x-api-key': key })
const kannel = (values: Record<string, string>) => query('/cgi-bin/sendsms', { ...user, ...values })

const TO = '+4915112345678'
/** Kannel's text as it stands in the query. */
const rawKannel = (text: string) =>
  ask(
    `/cgi-bin/sendsms?${new URLSearchParams({ username: ANN.email, password: ANN.key, to: TO })}&${text}`,
  )
const token = { access_token: ANN.key, message: 'Hi' }
const login = { login: ANN.email, pass: ANN.key, message: 'Hi' }
const user = { username: ANN.email, password: ANN.key, text: 'Hi' }
const listed = { to: [TO], text: 'Hi' }
const single = { to: TO, body: 'Hi' }
const id = expect.stringMatching(/^\w{15}$/)
const okay = expect.stringMatching(/^OK; ID=\w{15}$/)
const ok = { message_id: id, status: 'ok' }
const queued = (number: string) => ({ status: 'queued', message: 'OK', number, id })
const ONE = [`${TO} Hi`]
const ACCEPTED = '0: Accepted for delivery'

describe('a send-only API sends', () => {
  test.each<[string, () => Promise<unknown>, unknown, string[]]>([
    ['SMSEagle 1 by its query', () => sms({ ...token, to: TO }), okay, ONE],
    [
      'with index.php',
      () => query('/index.php/http_api/send_sms', { ...login, to: TO }),
      okay,
      ONE,
    ],
    ['by a form, without a plus', () => form({ ...login, to: '4915112345678' }), okay, ONE],
    [
      'SMSEagle 1 to a group, without opted-out members',
      () => query('/http_api/send_togroup', { ...token, groupname: 'friends' }),
      expect.stringMatching(/^OK; ID=\w+,\w+,\w+$/),
      ['+4900001 Hi', '+4900002 Hi', '+4900003 Hi'],
    ],
    ['to a contact', () => contact('Zoe'), okay, ['+4900001 Hi']],
    [
      'JSON-RPC',
      () => rpc('sms.send_sms', { ...token, to: TO, unicode: 1 }),
      { result: okay },
      ONE,
    ],
    [
      'JSON-RPC, extended',
      () => rpc('sms.send_sms', { ...token, to: TO, test: 0, responsetype: 'extended' }),
      { result: ok },
      ONE,
    ],
    [
      'JSON-RPC, to several',
      () =>
        rpc('sms.send_sms', {
          ...token,
          to: `${TO}, 00447911123456, ${TO}`,
          responsetype: 'extended',
        }),
      { result: [ok, ok] },
      ['+447911123456 Hi', ...ONE],
    ],
    [
      'SMSEagle 2',
      () => v2({ to: [TO, '+44111111'], text: 'Hi', encoding: 'standard', priority: 9 }),
      [queued(TO), queued('+44111111')],
      ['+44111111 Hi', ...ONE],
    ],
    [
      'SMSEagle 2 to contacts, whose numbers the key may not read',
      () => v2({ contacts: ['Zoe', 'Xaver'], text: 'Hi' }),
      [queued(''), queued('')],
      ['+4900001 Hi', '+4900005 Hi'],
    ],
    ["Uptime Kuma's SMS Gateway", () => kuma(single), expect.objectContaining({ id }), ONE],
    [
      'Uptime Kuma with other field names',
      () => kuma({ to: TO, content: 'Hi' }),
      expect.objectContaining({ id }),
      ONE,
    ],
  ])('a send-only API sends by %s with the answer $2', async (_, call, answer, texts) => {
    expect(await call()).toEqual([200, answer])
    expect(await sent()).toEqual(texts)
  })

  test('a send-only API sends by Kannel to several numbers with a sender name', async () => {
    expect(await kannel({ to: `${TO} 447911123456`, from: 'Shop', coding: '0' })).toEqual([
      202,
      ACCEPTED,
    ])
    expect(await sent()).toEqual([`${TO} Hi`, '+447911123456 Hi'].sort())
  })

  test.each<[what: string, query: string, text: string]>([
    ['UTF-8', 'text=Gr%C3%BC%C3%9Fe+%E2%82%AC', 'Grüße €'],
    ['UTF-8, declared', 'text=%C3%BC&charset=UTF-8&coding=0', 'ü'],
    ['Latin-1', 'text=Gr%FC%DFe&charset=ISO-8859-1', 'Grüße'],
    ['windows-1251', 'charset=windows-1251&text=%C6', 'Ж'],
    ['UCS-2', 'text=%04%16%00%E9&coding=2', 'Жé'],
    ['UCS-2 with the mark of big endian', 'text=%FE%FF%04%16&coding=2', 'Ж'],
    ['UCS-2 with the mark of little endian', 'text=%FF%FE%16%04%E9%00&coding=2', 'Жé'],
    ['UTF-16 with the mark of little endian', 'text=%FF%FE%16%04&charset=UTF-16', 'Ж'],
    ['UCS-2 with a mark by its name', 'text=%FF%FE%16%04&charset=ISO-10646-UCS-2', 'Ж'],
    ['an emoji in UTF-16', 'text=%D8%3D%DE%00&charset=UTF-16BE&coding=2', '😀'],
    ['UCS-2 in another charset', 'text=%D0%96&coding=2&charset=utf-8', 'Ж'],
  ])('a send-only API sends by Kannel a text in %s as "$2"', async (_, given, text) => {
    const { text: _text, ...who } = user
    expect(
      await ask(`/cgi-bin/sendsms?${new URLSearchParams({ ...who, to: TO })}&${given}`),
    ).toEqual([202, ACCEPTED])
    expect(await sent()).toEqual([`${TO} ${text}`])
  })

  test('a form in Latin-1', async () => {
    const body = `${new URLSearchParams({ ...login, to: TO, message: '' })}&message=x`.replace(
      'message=&',
      '',
    )
    const type = { 'content-type': 'application/x-www-form-urlencoded; charset=ISO-8859-1' }
    expect(
      await ask('/http_api/send_sms', body.replace('message=x', 'message=Gr%FC%DFe'), type),
    ).toEqual([200, okay])
    expect(await sent()).toEqual([`${TO} Grüße`])
  })

  test('a send-only API sends scheduled texts with an expiry', async () => {
    expect(await kannel({ to: TO, deferred: '60', validity: '30' })).toEqual([202, ACCEPTED])
    const late = { to: ['+44111111'], text: 'Hi', date: '2099-01-01T00:00:00Z' }
    expect(await v2(late)).toMatchObject([200, [{}]])
    const times = `select round(extract(epoch from scheduled_at::timestamptz - now()) / 60),
      extract(epoch from nullif(expires_at, '')::timestamptz - scheduled_at::timestamptz) from sms_messages order by "to" desc`
    const [[minutes, lasts], [until]] = (await server.rows(times)).map((row) =>
      row.map(Number),
    ) as number[][] as [number[], number[]]
    expect([minutes, lasts, until! > 1e7]).toEqual([60, 1_800, true])
  })
})

describe('a send-only API refuses in its own words', () => {
  const wrong = (sentence: string) => `Wrong parameters: ${sentence}`
  const extended = (error_text: string) => ({ result: { error_text, status: 'error' } })
  const NO_NUMBER = 'Phone number must be in E.164 format'
  const badToken = { ...token, access_token: BEN.key.replace('ben', 'nobody'), to: TO }
  type Refused = [string, () => Promise<unknown>, number, unknown]
  test.each<Refused>([
    ['a token', () => sms(badToken), 401, 'Invalid access token'],
    ['no key', () => sms({ to: TO }), 401, 'Invalid login or password'],
    [
      "another user's name",
      () => sms({ ...login, login: BEN.email, to: TO }),
      401,
      'Invalid login or password',
    ],
    ['a number', () => sms({ ...token, to: '0151 1' }), 400, wrong(NO_NUMBER)],
    [
      'nobody',
      () => sms(token),
      400,
      wrong('recipients must name at least one phone number, or group_ids a group'),
    ],
    [
      'a time',
      () => sms({ ...token, to: TO, date: '209901010000' }),
      400,
      wrong('date is not supported here'),
    ],
    [
      'a contact name that occurs twice',
      () => contact('Abe'),
      400,
      wrong('Several contacts are called "Abe"'),
    ],
    ['a call', () => query('/http_api/ring_call', { ...token, to: TO }), 404, 'File not found.'],
    [
      'JSON-RPC: a token',
      () => rpc('sms.send_sms', badToken),
      401,
      { result: 'Invalid access token' },
    ],
    [
      'JSON-RPC: a picture',
      () => rpc('sms.send_sms', { ...token, to: TO, responsetype: 'extended', attachments: [{}] }),
      400,
      extended(wrong('attachments is not supported here')),
    ],
    [
      'JSON-RPC: a method',
      () => rpc('sms.delete_sms', { ...token, responsetype: 'extended' }),
      400,
      extended(wrong('This method is not offered here')),
    ],
    [
      'JSON-RPC without a call',
      () => ask('/jsonrpc/sms', {}),
      401,
      { result: 'Invalid login or password' },
    ],
    ['SMSEagle 2: a token', () => v2(listed, 'x'), 401, { message: 'Invalid access token' }],
    [
      'SMSEagle 2: an earliest hour',
      () => v2({ ...listed, send_after: '08:00' }),
      400,
      { message: 'send_after is not supported here' },
    ],
    ['SMSEagle 2: no text', () => v2({ to: [TO] }), 400, { message: 'text is required' }],
    [
      'SMSEagle 2: a group',
      () => v2({ groups: [7], text: 'Hi' }),
      400,
      { message: '"7" is neither a number in E.164 nor a group of the account.' },
    ],
    ['SMS Gateway: a key', () => kuma(single, 'x'), 401, { error: 'Authentication required' }],
    ['SMS Gateway: no text', () => kuma({ to: TO }), 400, { error: 'body is required' }],
    [
      'SMS Gateway on an unknown path',
      () => ask('/api/v1/sms/inbox'),
      404,
      { error: 'File not found.' },
    ],
    [
      'Kannel: a key',
      () => kannel({ password: 'x', to: TO }),
      403,
      'Authorization failed for sendsms',
    ],
    ['Kannel without a recipient', () => kannel({}), 400, 'Missing receiver number, rejected'],
    [
      'Kannel: binary',
      () => kannel({ to: TO, udh: '%06' }),
      400,
      'Only texts are sent here, rejected',
    ],
    [
      'Kannel: message waiting',
      () => kannel({ to: TO, mwi: '1' }),
      400,
      'Only texts are sent here, rejected',
    ],
    [
      'Kannel: 8 bits',
      () => kannel({ to: TO, coding: '1' }),
      400,
      'Only texts are sent here, rejected',
    ],
    [
      'Kannel: a coding',
      () => kannel({ to: TO, coding: '3' }),
      400,
      'Coding field misformed, rejected',
    ],
    [
      'Kannel: a charset',
      () => kannel({ to: TO, charset: 'x' }),
      400,
      'Charset or body misformed, rejected',
    ],
    [
      'Kannel: half a character',
      () => kannel({ to: TO, text: 'abc', coding: '2' }),
      400,
      'Charset or body misformed, rejected',
    ],
    ...[
      ['half an emoji', 'text=%D8%3D%00a&coding=2'],
      ['the second half of an emoji', 'text=%DE%00&charset=UTF-16BE'],
      ['half an emoji behind the mark of little endian', 'text=%FF%FE%3D%D8&coding=2'],
      ['half a unit behind the mark of little endian', 'text=%FF%FE%16%04%00&charset=UTF-16'],
    ].map(
      ([what, text]): Refused => [
        `Kannel: ${what}`,
        () => rawKannel(text!),
        400,
        'Charset or body misformed, rejected',
      ],
    ),
    [
      'SMSEagle: a form that is not UTF-8',
      () => ask('/http_api/send_sms', `${new URLSearchParams({ ...login, to: TO })}&x=%FC`),
      400,
      'Wrong parameters: The text is not valid in the charset utf-8.',
    ],
    [
      'SMSEagle: a query that is not UTF-8',
      () => ask(`/http_api/send_sms?${new URLSearchParams({ ...token, to: TO })}&x=%FC`),
      400,
      'Wrong parameters: The text is not valid in the charset utf-8.',
    ],
    [
      'Kannel: a time',
      () => kannel({ to: TO, deferred: 'x' }),
      400,
      'Deferred field misformed, rejected',
    ],
    [
      'Kannel from an unknown line',
      () => kannel({ to: TO, from: '+4999000' }),
      404,
      'Line not found',
    ],
  ])('a send-only API refuses in its own words with $2 $3: %s', async (_, call, status, body) => {
    expect(await call()).toEqual([status, body])
    expect(await sent()).toEqual([])
  })

  test('a missing scope, an exceeded quota and a disabled account are refused', async () => {
    const all = () =>
      Promise.all([
        sms({ ...token, to: TO }),
        rpc('sms.send_sms', { ...token, to: TO }),
        v2(listed),
        kuma(single),
        kannel({ to: TO }),
      ])
    const statuses = async () => (await all()).map(([status]) => status)
    const scopes = (list: string) =>
      server.rows('update api_keys set scopes = $2 where id = $1', [keyOf(ANN), list])
    await scopes('{messages:read}')
    expect(await statuses()).toEqual([403, 403, 403, 403, 403])
    await scopes('{}')
    await server.rows('update users set monthly_quota = 1 where id = $1', [ANN.id])
    expect(await statuses()).toEqual([402, 402, 402, 402, 403])
    await server.rows('update users set monthly_quota = 0')
    const disable = `insert into user_settings (id, "user", disabled) values ('settingsofann00', $1, true)`
    await server.rows(disable, [ANN.id])
    expect(await statuses()).toEqual([401, 401, 401, 401, 403])
    await server.rows('delete from user_settings')
    expect(await statuses()).toEqual([200, 200, 200, 200, 202])
  })
})

test.each(DOOR_SENDS)('$at sends to SMS_MAX_RECIPIENTS numbers at most', async (send) => {
  const numbers = Array.from({ length: MAX_RECIPIENTS + 1 }, (_, i) => `+491511234567${i}`)
  const sendTo = (to: readonly string[]) =>
    sendByDoor(server.url, send, { to: to.join(','), text: 'Hi', key: ANN.key, user: ANN.email })
  expect((await sendTo(numbers)).status).toBe(400)
  expect(await sent()).toEqual([])
  await sendTo(numbers.slice(1))
  expect(await sent()).toHaveLength(MAX_RECIPIENTS)
})

// a new route that sends gets a row in DOOR_SENDS, or a test of its own and a place in this list
test('every other route that sends is known', () => {
  const rows = DOOR_SENDS.map(({ at }) => at)
  expect(SENDING_ROUTES.filter((at) => !rows.includes(at))).toEqual([
    'POST /api/3rdparty/v1/messages',
    'POST /http_api/send_sms',
    'GET /http_api/send_togroup',
    'POST /http_api/send_togroup',
    'GET /http_api/send_tocontact',
    'POST /http_api/send_tocontact',
    'POST /vendel/api/sms/send',
    'POST /vendel/api/sms/send-template',
  ])
})

test('a send-only API sends to no groups of other users', async () => {
  await server.rows(`update contact_groups set name = 'theirs' where id = $1`, [GROUPS.bens])
  const answer = await query('/http_api/send_togroup', { ...token, groupname: 'theirs' })
  const sentence = '"theirs" is neither a number in E.164 nor a group of the account.'
  expect(answer).toEqual([400, `Wrong parameters: ${sentence}`])
})
