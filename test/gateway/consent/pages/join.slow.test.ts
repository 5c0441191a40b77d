import { request } from '../../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'
import { until } from '../../../support/until.ts'
import { entriesOf } from './entries-of.ts'

const server = await startServerWithDevices({ TRUSTED_PROXIES: '127.0.0.1,::1' })
let ann: Client
let phone: Client
let news: string

const GROUPS = '/api/collections/contact_groups/records'
let numbers = 90_000_000
const nextNumber = () => `+4915${numbers++}`

beforeEach(async () => {
  ann = await server.makeUser()
  await must(ann, 'PATCH', `/api/collections/users/records/${ann.id}`, { name: 'Shop' })
  phone = await server.pair(ann, { platform: 'simulator' })
  news = (await must(ann, 'POST', GROUPS, { user: ann.id, name: 'News', join_page: true })).id
})

const get = (headers: Record<string, string> = {}, group = news) =>
  request(server.url, 'GET', `/join/${group}`, undefined, headers)
const versionIn = (page: string) => /name="version" value="(\w+)"/.exec(page)![1]!
const post = (fields: Record<string, string>, headers: Record<string, string> = {}, group = news) =>
  request(server.url, 'POST', `/join/${group}`, new URLSearchParams(fields), headers)
/** A visitor reads the page and posts its form. */
async function join(
  number: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const { text } = await get(headers)
  return await post(
    { country: '', number, agree: 'yes', version: versionIn(text), ...fields },
    headers,
  )
}
const bodiesTo = async (number: string) =>
  (
    await server.query('select body from sms_messages where "to" = $1 order by _rowid', [number])
  ).map(([body]) => body)
const entries = (number: string) => entriesOf(ann, number)
const stateOf = async (number: string) =>
  (
    await server.query('select state from consent_states where number = $1 and "group" = $2', [
      number,
      news,
    ])
  )[0]?.[0]
const groupsOf = async (number: string) =>
  (
    await server.query('select groups from contacts where phone = $1 and "user" = $2', [
      number,
      ann.id,
    ])
  )[0]?.[0]
const alertIn = (page: string) => /role="alert">([^<]*)</.exec(page)?.[1]

const ASKED =
  'Shop: Reply YES to get texts of News. Message rates may apply. HELP for help, STOP to end.'

test('an account with a name of its own shows it in the place of its owner', async () => {
  expect((await get()).text).toContain('Shop')
  const settings = { user: ann.id, account_name: 'Salon Anna' }
  await must(ann, 'POST', '/api/collections/user_settings/records', settings)
  expect((await get()).text).toContain('Salon Anna')
  expect((await get()).text).not.toContain('Shop')
  const number = nextNumber()
  await server.hear(phone, [[number, 'HELP']])
  await until('HELP is answered', async () => (await bodiesTo(number)).length === 1)
  expect((await bodiesTo(number))[0]).toMatch(/^Salon Anna: /)
})

test('a visitor joins a group by the page and by the reply YES', async () => {
  const number = nextNumber()
  const headers = { 'user-agent': 'Browser/1', 'x-forwarded-for': '203.0.113.9' }
  const asked = await join(number, {}, headers)
  expect(asked.status).toBe(200)
  expect(asked.text).toContain(`We texted ${number}. Reply YES`)
  expect(await bodiesTo(number)).toEqual([ASKED])
  expect(await stateOf(number)).toBe('asked')
  expect(await groupsOf(number)).toBeUndefined()
  await server.hear(phone, [[number, 'Yes']])
  expect(await stateOf(number)).toBe('given')
  expect(await groupsOf(number)).toEqual([news])
  const shown =
    'Texts of News\nFrom Shop\nI want to get texts of News from Shop.\nMessage and data rates may apply. ' +
    'You can end the texts at any time: reply STOP to one of them. Reply HELP for help.'
  const found = await entries(number)
  expect(found).toMatchObject([
    {
      event: 'opt_in',
      source: 'page',
      group: news,
      shown,
      address: '203.0.113.9',
      browser: 'Browser/1',
    },
    { event: 'confirmed', source: 'reply', said: 'Yes', shown },
  ])
  expect(found[0].version).toMatch(/^[0-9a-f]{12}$/)
  expect(found[1].version).toBe(found[0].version)
})

test('a visitor is asked in the language of the page, and joins by its word', async () => {
  const number = nextNumber()
  const { text } = await join(number, {}, { 'accept-language': 'pt-BR' })
  expect(text).toContain('Responda SIM')
  expect(await bodiesTo(number)).toEqual([expect.stringMatching(/^Shop: Responda SIM .* News/)])
  await server.hear(phone, [[number, 'Sim']])
  expect(await stateOf(number)).toBe('given')
})

test('a forged join leaves a person who left the group out of it until YES', async () => {
  const number = nextNumber()
  const left = { user: ann.id, number, group: news, event: 'opt_out' }
  await must(ann, 'POST', '/api/collections/consents/records', left)
  expect((await join(number)).status).toBe(200)
  expect(await bodiesTo(number)).toEqual([ASKED])
  const [row] = await server.query(
    `select s.state, e.event, s.until > pb_text(now()) from consent_states s join consents e on e.id = s.entry
      where s.number = $1 and s."group" = $2`,
    [number, news],
  )
  expect(row).toEqual(['stopped', 'opt_out', true])
  await server.hear(phone, [[number, 'YES']])
  expect(await stateOf(number)).toBe('given')
  expect((await entries(number)).at(-1)).toMatchObject({
    event: 'confirmed',
    shown: expect.stringContaining('Texts of News'),
  })
})

test('a forged join texts no number that texted STOP, even without a contact', async () => {
  const number = nextNumber()
  await server.hear(phone, [[number, 'STOP']])
  await server.query('delete from contacts where phone = $1 and "user" = $2', [number, ann.id])
  expect((await join(number)).status).toBe(200)
  expect(await bodiesTo(number)).toEqual([])
  expect(await entries(number)).toMatchObject([{ event: 'opt_out' }])
})

describe('a group that confirms by a code', () => {
  beforeEach(() => must(ann, 'PATCH', `${GROUPS}/${news}`, { page_confirm: 'code' }))

  const codeTo = async (number: string) => {
    const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 100, wait: 0 })
    const { body } = items.find(({ to }: { to: string }) => to === number)
    expect(body).toMatch(
      /^Shop: \d{6} is your code to get texts of News\. Reply HELP for help, STOP to end\.$/,
    )
    return /\d{6}/.exec(body)![0]
  }

  test('a group that confirms by a code lets a person who left the group join again by the code', async () => {
    const number = nextNumber()
    const left = { user: ann.id, number, group: news, event: 'opt_out' }
    await must(ann, 'POST', '/api/collections/consents/records', left)
    await join(number)
    expect(await stateOf(number)).toBe('stopped')
    await post({ to: number, code: await codeTo(number) })
    expect(await stateOf(number)).toBe('given')
    expect(await groupsOf(number)).toEqual([news])
  })

  test('a group that confirms by a code lets a visitor join by the texted code, once', async () => {
    const number = nextNumber()
    const asked = await join(number, {}, { 'user-agent': 'Browser/2' })
    expect(asked.text).toContain('autocomplete="one-time-code"')
    const code = await codeTo(number)
    const wrong = await post({ to: number, code: code === '111111' ? '222222' : '111111' })
    expect([wrong.status, alertIn(wrong.text)]).toEqual([
      400,
      expect.stringContaining('This code is wrong'),
    ])
    expect(await stateOf(number)).toBe('asked')
    const typed = `${code.slice(0, 3)} ${code.slice(3)}.`
    const joined = await post({ to: number, code: typed }, { 'user-agent': 'Browser/2' })
    expect(joined.text).toContain('You now get the texts')
    expect(await stateOf(number)).toBe('given')
    expect(await groupsOf(number)).toEqual([news])
    expect(await entries(number)).toMatchObject([
      { event: 'opt_in', source: 'page' },
      {
        event: 'confirmed',
        source: 'page',
        browser: 'Browser/2',
        shown: expect.stringMatching(/^Texts of News/),
      },
    ])
    expect((await post({ to: number, code })).status).toBe(400)
  })

  test('a group that confirms by a code does not join with the code after the person has texted STOP', async () => {
    const number = nextNumber()
    await join(number)
    const code = await codeTo(number)
    await server.hear(phone, [[number, 'STOP']])
    expect((await post({ to: number, code })).status).toBe(400)
    expect(await stateOf(number)).toBe('stopped')
  })

  test('a group that confirms by a code makes a number that has opted out wait as long as a number that gets a code', async () => {
    const [number, out] = [nextNumber(), nextNumber()]
    await server.hear(phone, [[out, 'STOP']])
    const joins = async () => [(await join(number)).status, (await join(out)).status]
    const pass = (seconds: number) =>
      server.query(
        `update auth_tries set ends = ends - make_interval(secs => $1) where key like '%pause'`,
        [seconds],
      )
    expect(await joins()).toEqual([200, 200])
    await pass(31)
    expect(await joins()).toEqual([429, 429])
    await pass(30)
    expect(await joins()).toEqual([200, 200])
    await pass(61)
    expect(await joins()).toEqual([200, 200])
    await pass(61)
    expect(await joins()).toEqual([200, 200])
  })

  test('texts a code although names contain variables of templates', async () => {
    await must(ann, 'PATCH', `${GROUPS}/${news}`, { name: '{{name}} {{code}} {{x}}' })
    const number = nextNumber()
    expect((await join(number)).status).toBe(200)
    expect(await bodiesTo(number)).toHaveLength(1)
  })
})

test.each([
  ['a number of the chosen country', { country: 'DE', number: '01511 2345 678' }, '+4915112345678'],
  ['a number with its calling code', { country: 'DE', number: '+43 664 1234567' }, '+436641234567'],
])('the page reads %s', async (_, fields, number) => {
  expect((await join('', fields)).status).toBe(200)
  expect(await bodiesTo(number)).toHaveLength(1)
})

test.each<
  [what: string, fields: Record<string, string>, headers: Record<string, string>, status: number]
>([
  ['without the check in the box', { agree: '' }, {}, 400],
  ['with a number that does not exist', { number: '12' }, {}, 400],
  ['with a number of no country', { number: '015112345678' }, {}, 400],
  ['with a country that is none', { country: 'XX' }, {}, 400],
  ['with a premium number', { number: '+499001234567' }, {}, 403],
  ['with the version of another text', { version: '0123456789ab' }, {}, 409],
  ['from a page of another site', {}, { 'sec-fetch-site': 'cross-site' }, 403],
  ['from a page of another host, by an old browser', {}, { origin: 'https://evil.example' }, 403],
  ['from a page that hides its origin', {}, { origin: 'null' }, 403],
])('a form %s is refused, and no text is sent', async (_, fields, headers, status) => {
  const number = nextNumber()
  const { status: answered, text } = await join(number, fields, headers)
  expect(answered).toBe(status)
  expect(alertIn(text)).toMatch(/\./)
  expect(await bodiesTo(fields.number ?? number)).toEqual([])
  expect(await entries(number)).toEqual([])
})

test.each([
  ['of the server itself', () => ({ origin: server.url, 'sec-fetch-site': 'same-origin' })],
  ['of the server itself, by an old browser', () => ({ origin: server.url })],
])('a form from a page %s is accepted', async (_, headers) => {
  expect((await join(nextNumber(), {}, headers())).status).toBe(200)
})

test('a form is refused if the text of the page changed after the visitor opened it', async () => {
  const { text } = await get()
  await must(ann, 'PATCH', `${GROUPS}/${news}`, { page_consent: 'I also want offers of {group}.' })
  const refused = await post({
    number: nextNumber(),
    agree: 'yes',
    version: versionIn(text),
    country: 'DE',
  })
  expect([refused.status, alertIn(refused.text)]).toEqual([
    409,
    'The text of this page has changed. Read it again, then check the box.',
  ])
  expect(refused.text).toContain('I also want offers of News.')
  expect(refused.text).not.toContain('checked')
})

describe('a visitor cannot learn whether a number is known', () => {
  test.each([
    ['that has joined', (number: string) => [number, 'YES'] as const, 1],
    ['that has opted out', (number: string) => [number, 'STOP'] as const, 1],
  ])('%s, and no second text is sent', async (_, said, texts) => {
    const number = nextNumber()
    const first = await join(number)
    await server.hear(phone, [said(number)])
    await until(
      'no jobs',
      async () =>
        (await server.query(`select 1 from _jobs where kind = 'answer' and dead_at is null`))
          .length === 0,
    )
    const before = (await bodiesTo(number)).length
    expect(before).toBeGreaterThanOrEqual(texts)
    await server.query(`update auth_tries set ends = now() where key like '%pause'`)
    const second = await join(number)
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(await bodiesTo(number)).toHaveLength(before)
    expect(await entries(number)).toHaveLength(2)
  })
})

test.each(['reply', 'code'])(
  'without a line, a page that confirms by %s fails for every number',
  async (by) => {
    await must(ann, 'PATCH', `${GROUPS}/${news}`, { page_confirm: by })
    const [number, out] = [nextNumber(), nextNumber()]
    await server.hear(phone, [[out, 'STOP']])
    await server.query(`update devices set enabled = false where "user" = $1`, [ann.id])
    const [first, second] = [await join(number), await join(out)]
    expect([first.status, alertIn(first.text)]).toEqual([
      503,
      expect.stringContaining('cannot send'),
    ])
    expect([second.status, alertIn(second.text)]).toEqual([first.status, alertIn(first.text)])
  },
)

test('a number is asked once a minute', async () => {
  const number = nextNumber()
  await join(number)
  const { status, text } = await join(number)
  expect([status, alertIn(text)]).toEqual([429, expect.stringContaining('just now')])
  expect(await bodiesTo(number)).toHaveLength(1)
})

test.each<[what: string, prepare: () => Promise<unknown>]>([
  ['a group without a page', () => must(ann, 'PATCH', `${GROUPS}/${news}`, { join_page: false })],
  ['a deleted group', () => must(ann, 'DELETE', `${GROUPS}/${news}`)],
  [
    'a group of a disabled account',
    () =>
      must(server.superuser, 'POST', '/api/collections/user_settings/records', {
        user: ann.id,
        disabled: true,
      }),
  ],
])('%s has no page', async (_, prepare) => {
  const version = versionIn((await get()).text)
  await prepare()
  const { status, text, headers } = await get()
  expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(text).toContain('This page does not exist')
  const number = nextNumber()
  expect((await post({ country: '', number, agree: 'yes', version })).status).toBe(404)
  expect(await bodiesTo(number)).toEqual([])
})

test.each(['x', 'a'.repeat(15), '%27%3B--', encodeURIComponent('<script>')])(
  'there is no page /join/%s',
  async (id) => {
    const { status, text } = await get({}, id)
    expect(status).toBe(404)
    expect(text).not.toContain('<script')
  },
)

test('texts of the account are escaped, and only its web addresses become links', async () => {
  await must(ann, 'PATCH', `${GROUPS}/${news}`, {
    name: '<b>&"News',
    page_text:
      '<script>alert(1)</script>\nPrivacy: https://example.com/a?b=1&c=2.\njavascript:alert(1) data:text/html,x https://evil"onclick="x',
    page_consent: 'I <i>agree</i> to {group}, see HTTP://EXAMPLE.com/x',
  })
  const { text } = await get()
  expect(text).not.toMatch(/<script|<b>|<i>/)
  expect(text).toContain('&lt;script&gt;alert(1)')
  expect([...text.matchAll(/<a href="([^"]*)"[^>]*>/g)].map(([, address]) => address)).toEqual([
    'https://example.com/a?b=1&amp;c=2',
    'https://evil',
    'HTTP://EXAMPLE.com/x',
  ])
  expect(text).toContain('<h1>Texts of &lt;b&gt;&amp;&#34;News</h1>')
})

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de', 'Handynummer'],
  ['it, en;q=0.3, de;q=0.5', 'de', 'Handynummer'],
  ['de;q=0, es-MX', 'es', 'Número de móvil'],
  ['fr-CA, en;q=0.8', 'fr', 'Numéro de portable'],
  ['pt-BR', 'pt', 'Número de celular'],
  ['de;q=0, it', 'en', 'Mobile number'],
  ['', 'en', 'Mobile number'],
  ['constructor, ;;;,q=,de;q=x', 'en', 'Mobile number'],
])('the page for Accept-Language "%s" is in %s', async (header, language, label) => {
  const { text } = await get({ 'accept-language': header })
  expect(text).toContain(`<html lang="${language}">`)
  expect(text).toContain(label)
})

test('the country of the account is chosen', async () => {
  await must(server.superuser, 'POST', '/api/collections/user_settings/records', {
    user: ann.id,
    country: 'AT',
  })
  const { text } = await get({ 'accept-language': 'de' })
  expect(text).toContain('<option value="AT" selected>Österreich (+43)</option>')
})

test('answers forbid scripts, frames, files and caches, and set no cookie', async () => {
  for (const { headers } of [await get(), await join(nextNumber()), await get({}, 'x')]) {
    const policy = headers.get('content-security-policy')!
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('set-cookie')).toBeNull()
  }
})

test('a form above 16 KiB is refused', async () => {
  const { status, headers } = await post({ number: '1'.repeat(20_000) })
  expect([status, headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8'])
})
