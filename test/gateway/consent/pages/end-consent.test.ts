import { createHmac } from 'node:crypto'
import { makeStopLinks, readStopLink } from '../../../../src/gateway/base/stop-link.ts'
import { request } from '../../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'
import { entriesOf } from './entries-of.ts'

const server = await startServerWithDevices({ PUBLIC_URL: 'https://sms.example.com' })
const { store } = server.server.services
let ann: Client
let phone: Client

const GROUPS = '/api/collections/contact_groups/records'
let numbers = 95_000_000
const nextNumber = () => `+4915${numbers++}`

beforeEach(async () => {
  ann = await server.makeUser()
  await must(ann, 'PATCH', `/api/collections/users/records/${ann.id}`, { name: 'Shop' })
  phone = await server.pair(ann, { platform: 'simulator' })
})

const send = (number: string, more: object = {}) =>
  must(ann, 'POST', '/api/sms/send', {
    recipients: [number],
    body: 'Sale! End: {{stop_link}}',
    variables: {},
    ...more,
  })
const textOf = async (id: string) =>
  String((await server.query('select body from sms_messages where id = $1', [id]))[0]![0])
const pathIn = (text: string) => /https:\/\/sms\.example\.com(\/leave\/[\w-]{32})$/.exec(text)![1]!
/** The path of the link that a number gets by a text. */
const linkTo = async (number: string) => pathIn(await textOf((await send(number)).message_ids[0]))
const get = (path: string) => request(server.url, 'GET', path)
const post = (
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) => request(server.url, 'POST', path, new URLSearchParams(fields), headers)
const entries = (number: string) => entriesOf(ann, number)
const contactOf = async (number: string) =>
  (
    await server.query('select opted_out, groups from contacts where phone = $1 and "user" = $2', [
      number,
      ann.id,
    ])
  )[0]
const statusOf = async (id: string) =>
  (await server.query('select status, error_message from sms_messages where id = $1', [id]))[0]

test('a person opens the link of a text and ends the texts by the button', async () => {
  const number = nextNumber()
  const sent = await send(number, { scheduled_at: '2099-01-01T00:00:00Z' })
  const path = pathIn(await textOf(sent.message_ids[0]))
  const shown = await get(path)
  expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(shown.text).toContain(`Do you want no more texts from Shop at ${number}?`)
  const left = await post(path, {}, { 'user-agent': 'Browser/1' })
  expect(left.text).toContain(`${number} gets no more texts from Shop.`)
  expect(await contactOf(number)).toEqual([true, []])
  expect(await statusOf(sent.message_ids[0])).toEqual(['failed', 'Recipient has opted out'])
  expect(await entries(number)).toMatchObject([
    {
      event: 'opt_out',
      source: 'page',
      address: '127.0.0.1',
      browser: 'Browser/1',
      purpose: 'all',
    },
  ])
  await post(path)
  expect(await entries(number)).toHaveLength(1)
  const again = await get(path)
  expect(again.text).toContain(`${number} gets no more texts from Shop.`)
  expect(again.text).not.toContain('<form')
})

test.each(['GET', 'HEAD', 'OPTIONS', 'PROPFIND'])(
  '%s of a link changes nothing',
  async (method) => {
    const number = nextNumber()
    const path = await linkTo(number)
    for (const suffix of ['', '?group=', '/']) await request(server.url, method, path + suffix)
    expect(await contactOf(number)).toBeUndefined()
    expect(await entries(number)).toEqual([])
  },
)

test('a form of another site ends no texts', async () => {
  const number = nextNumber()
  const { status } = await post(await linkTo(number), {}, { 'sec-fetch-site': 'cross-site' })
  expect(status).toBe(403)
  expect(await contactOf(number)).toBeUndefined()
})

test.each<[who: string, headers: () => Promise<Record<string, string>>]>([
  [
    'a viewer, who may read the link',
    async () => {
      const ben = await server.makeUser()
      await must(server.superuser, 'POST', '/api/collections/members/records', {
        account: ann.id,
        member: ben.id,
        role: 'viewer',
      })
      const { token } = await must(ben, 'POST', '/api/account/act-for', { account: ann.id })
      return { authorization: token }
    },
  ],
  ['the owner', async () => ({ authorization: ann.token })],
  ['a member in the browser of the console', async () => ({ cookie: 'signed_in=1' })],
])('%s ends no texts by the link of a person', async (_, headers) => {
  const number = nextNumber()
  const path = await linkTo(number)
  const refused = await post(path, {}, await headers())
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining('signed in to the console'),
  ])
  expect(await contactOf(number)).toBeUndefined()
  expect((await post(path)).status).toBe(200)
  expect(await contactOf(number)).toEqual([true, []])
})

test('a person leaves one of several groups, whose waiting campaign texts end', async () => {
  const [news, club, hidden] = await Promise.all(
    [
      { name: 'News', join_page: true },
      { name: 'Club', join_page: true },
      { name: 'Hidden', join_page: false },
    ].map(async (values) =>
      String((await must(ann, 'POST', GROUPS, { user: ann.id, ...values })).id),
    ),
  )
  const number = nextNumber()
  await must(ann, 'POST', '/api/collections/contacts/records', {
    user: ann.id,
    phone: number,
    groups: [news, club, hidden],
  })
  const path = await linkTo(number)
  const { text } = await get(path)
  expect(
    [...text.matchAll(/<button name="group" value="(\w*)">([^<]*)/g)].map(([, ...found]) => found),
  ).toEqual([
    ['', 'End all texts'],
    [club, 'End only texts of Club'],
    [news, 'End only texts of News'],
  ])
  const left = await post(path, { group: news! })
  expect(left.text).toContain(`${number} gets no more texts of News from Shop.`)
  expect(await contactOf(number)).toEqual([false, [club, hidden]])
  expect(await entries(number)).toMatchObject([{ event: 'opt_out', source: 'page', group: news }])
  await post(path, { group: news! })
  await post(path, { group: hidden! })
  expect(await entries(number)).toHaveLength(1)
})

describe('a token', () => {
  test('a token shows neither the account nor the number, and is the same in each text', async () => {
    const number = nextNumber()
    const [one, two] = [await linkTo(number), await linkTo(number)]
    expect(one).toBe(two)
    const bytes = Buffer.from(one.split('/')[2]!, 'base64url')
    expect(bytes.toString('latin1')).not.toContain(number.slice(1))
    expect(bytes.toString('latin1')).not.toContain(ann.id)
    expect(await linkTo(nextNumber())).not.toBe(one)
  })

  test('a token contains any account and number and is decoded again', async () => {
    const { db } = store.forEverybody('test')
    for (const user of ['000000000000000', 'zzzzzzzzzzzzzzz', 'a0b1c2d3e4f5g6h'])
      for (const number of ['+1000000', '+999999999999999', '+4915112345678']) {
        const link = (await makeStopLinks(db, { publicUrl: '' }, user))(number)!
        expect(link).toHaveLength('/leave/'.length + 32)
        expect(await readStopLink(db, link.split('/')[2]!)).toEqual({ user, number })
      }
  })

  test('a token of a text that was sent to a second form of a number ends the texts to the number', async () => {
    const { db } = store.forEverybody('test')
    const link = (await makeStopLinks(db, { publicUrl: '' }, ann.id))('+5215512345678')!
    expect(await readStopLink(db, link.split('/')[2]!)).toEqual({
      user: ann.id,
      number: '+525512345678',
    })
  })

  test.each<[what: string, change: (token: string) => string]>([
    ['with another last byte', (token) => token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')],
    ['with another first byte', (token) => (token.startsWith('A') ? 'B' : 'A') + token.slice(1)],
    ['that is cut', (token) => token.slice(0, -1)],
    ['that is too long', (token) => `${token}A`],
    [
      'with the HMAC of another key',
      (token) => {
        const block = Buffer.from(token, 'base64url').subarray(0, 16)
        const tag = createHmac('sha256', 'guess').update(block).digest().subarray(0, 8)
        return Buffer.concat([block, tag]).toString('base64url')
      },
    ],
    ['of zeros', () => 'A'.repeat(32)],
    ['of other characters', () => encodeURIComponent('<script>'.repeat(4))],
  ])('%s opens no page', async (_, change) => {
    const number = nextNumber()
    const token = (await linkTo(number)).split('/')[2]!
    for (const ask of [get, post]) {
      const { status, text } = await ask(`/leave/${change(token)}`)
      expect(status).toBe(404)
      expect(text).toContain('This page does not exist')
      expect(text).not.toContain('<script')
    }
    expect(await contactOf(number)).toBeUndefined()
  })

  test('a token opens no page after the account was deleted', async () => {
    const path = await linkTo(nextNumber())
    await must(server.superuser, 'DELETE', `/api/collections/users/records/${ann.id}`)
    expect((await get(path)).status).toBe(404)
  })

  test('a token works while a superuser has disabled the account', async () => {
    const number = nextNumber()
    const path = await linkTo(number)
    await must(server.superuser, 'POST', '/api/collections/user_settings/records', {
      user: ann.id,
      disabled: true,
    })
    expect((await post(path)).status).toBe(200)
    expect(await contactOf(number)).toEqual([true, []])
  })
})

test('a request cannot replace the link, and a preview shows one', async () => {
  const number = nextNumber()
  const { message_ids } = await send(number, { variables: { stop_link: 'https://evil.example' } })
  expect(pathIn(await textOf(message_ids[0]))).toBe(await linkTo(number))
  for (const recipients of [[number], []]) {
    const { body } = await must(ann, 'POST', '/api/sms/preview', {
      recipients,
      body: 'End: {{ Stop_Link }}',
      variables: {},
    })
    expect(body).toMatch(/^End: https:\/\/sms\.example\.com\/leave\/[\w-]{32}$/)
  }
})

test('texts of a template, of a campaign and of an automatic answer have the link of their number', async () => {
  const number = nextNumber()
  const path = await linkTo(number)
  const body = 'Template {{stop_link}}'
  const { id: template } = await must(ann, 'POST', '/api/collections/sms_templates/records', {
    user: ann.id,
    name: 'sale',
    body,
  })
  await must(ann, 'POST', '/api/sms/send-template', { recipients: [number], template_id: template })
  await must(ann, 'POST', '/api/campaigns', {
    name: 'Sale',
    recipients: [number],
    body: 'Campaign {{stop_link}}',
    variables: {},
  })
  const answer = { user: ann.id, enabled: true, match: 'any', template }
  await must(ann, 'POST', '/api/collections/auto_answers/records', answer)
  await server.hear(phone, [[number, 'Hello']])
  await vi.waitFor(
    async () => {
      const texts = await server.query(
        'select body from sms_messages where "to" = $1 order by body',
        [number],
      )
      const link = `https://sms.example.com${path}`
      expect(texts.flat()).toEqual([
        `Campaign ${link}`,
        `Sale! End: ${link}`,
        `Template ${link}`,
        `Template ${link}`,
      ])
    },
    { timeout: 30_000 },
  )
})

test('the log of requests has no token', async () => {
  const path = await linkTo(nextNumber())
  await get(path)
  const logged = async () =>
    ((await server.query(`select string_agg(data::text, ' ') from _logs`)) as [[string]])[0][0] ??
    ''
  await expect.poll(logged).toContain('/leave/…')
  expect(await logged()).not.toContain(path)
})
