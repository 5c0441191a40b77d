import { request } from '../../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'

// What strangers may do with a page: nothing to people who sign in, and they learn nothing about a number.

const server = await startServerWithDevices({ TRUSTED_PROXIES: '127.0.0.1,::1' })
let ann: Client
let phone: Client
let news: string

const GROUPS = '/api/collections/contact_groups/records'
let numbers = 92_000_000
const nextNumber = () => `+4915${numbers++}`
const set = (limits: object) =>
  must(server.superuser, 'POST', '/api/collections/user_settings/records', {
    user: ann.id,
    ...limits,
  })

beforeEach(async () => {
  ann = await server.makeUser()
  phone = await server.pair(ann, { platform: 'simulator' })
  news = (await must(ann, 'POST', GROUPS, { user: ann.id, name: 'News', join_page: true })).id
})

/** A stranger with this address posts the form of the page. */
async function join(number: string, address = '203.0.113.7') {
  const { text } = await request(server.url, 'GET', `/join/${news}`)
  const version = /name="version" value="(\w+)"/.exec(text)![1]!
  const fields = new URLSearchParams({ country: '', number, agree: 'yes', version })
  const answer = await request(server.url, 'POST', `/join/${news}`, fields, {
    'x-forwarded-for': address,
  })
  return { status: answer.status, alert: /role="alert">([^<]*)</.exec(answer.text)?.[1] }
}
const verify = (to: string, more: object = {}) => ann.call('POST', '/api/verify', { to, ...more })
const endPauses = () => server.query(`update auth_tries set ends = now() where key like '%pause'`)
const count = async (table: string) =>
  Number((await server.query(`select count(*) from ${table} where "user" = $1`, [ann.id]))[0]![0])

test.each(['reply', 'code'])(
  'forms of strangers use up no codes of a person who signs in, by %s',
  async (by) => {
    await must(ann, 'PATCH', `${GROUPS}/${news}`, { page_confirm: by })
    await set({ code_max_per_hour: 1, code_max_per_network: 2, code_max_per_account: 2 })
    const number = nextNumber()
    expect((await join(number)).status).toBe(200)
    expect((await join(nextNumber())).status).toBe(200)
    expect((await join(nextNumber())).status).toBe(429)
    const { status, body } = await verify(number, { ip: '203.0.113.7' })
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'pending' })])
    const { items } = await must(
      ann,
      'GET',
      '/api/collections/verify_services/records?filter=name!="join page"',
    )
    expect(items.map(({ id }: { id: string }) => id)).toContain(body.service)
  },
)

test('codes of people who sign in use up no forms of the page, and no word that joins', async () => {
  await must(ann, 'PATCH', `${GROUPS}/${news}`, { join_words: 'NEWS', join_confirm: true })
  await set({ code_max_per_hour: 1 })
  const number = nextNumber()
  expect((await verify(number)).status).toBe(200)
  expect((await join(number)).status).toBe(200)
  await server.hear(phone, [[number, 'NEWS']])
  await expect.poll(() => count('sms_messages'), { timeout: 10_000 }).toBe(4)
})

test('unused codes of a page stop the page for a country, and not the other codes', async () => {
  await must(ann, 'PATCH', `${GROUPS}/${news}`, { page_confirm: 'code' })
  await set({ code_approval_floor: 50 })
  for (let i = 0; i < 20; i++) expect((await join(nextNumber(), `203.0.${i}.7`)).status).toBe(200)
  await server.query(
    `update verifications set created = pb_text(now() - interval '1 hour') where "user" = $1`,
    [ann.id],
  )
  expect((await join(nextNumber())).status).toBe(403)
  expect((await verify(nextNumber())).status).toBe(200)
  expect(
    await server.query('select code_stopped from user_settings where "user" = $1', [ann.id]),
  ).toEqual([['']])
})

/** Numbers that get no text of the page, each by the way that made it so. */
const SETTLED: Readonly<Record<string, (number: string) => Promise<unknown>>> = {
  'has joined': (number) =>
    must(ann, 'POST', '/api/collections/consents/records', {
      user: ann.id,
      number,
      group: news,
      event: 'opt_in',
      shown: 'Yes',
    }),
  'has opted out': (number) => server.hear(phone, [[number, 'STOP']]),
  'was erased': (number) =>
    server.query('insert into _stop_list ("user", hash) values ($1, person_hash($1, $2))', [
      ann.id,
      number,
    ]),
}

const PLACES: Readonly<Record<string, () => Promise<unknown>>> = {
  'a phone is online': async () => {},
  'no device is enabled': () =>
    server.query('update devices set enabled = false where "user" = $1', [ann.id]),
  'only a carrier that is kept for failures is online': async () => {
    await set({ failover_minutes: 30 })
    await server.query(`update devices set platform = 'carrier' where "user" = $1`, [ann.id])
    const own = await server.pair(ann)
    await server.query(
      `update devices set last_seen = pb_text(now() - interval '10 minutes') where id = $1`,
      [own.id],
    )
  },
  'the only line sends to other countries': () =>
    server.query(`update lines set prefixes = '+43' where "user" = $1`, [ann.id]),
  'the quota is used up': () => set({ monthly_quota: 1 }).then(() => verify(nextNumber())),
  'the line has no room': () =>
    server.query('update lines set daily_limit = 1 where "user" = $1', [ann.id]),
}

describe.each(['reply', 'code'])('a page that confirms by %s', (by) => {
  test.each(
    Object.keys(PLACES).flatMap((place) =>
      Object.keys(SETTLED).map((settled) => [place, settled] as const),
    ),
  )(
    'a page that confirms answers alike, where %s, for a number that %s',
    async (place, settled) => {
      await must(ann, 'PATCH', `${GROUPS}/${news}`, { page_confirm: by })
      const [number, other] = [nextNumber(), nextNumber()]
      await SETTLED[settled]!(number)
      await PLACES[place]!()
      const before = [
        await count('sms_messages'),
        await count('consents'),
        await count('sms_dispatch'),
      ]
      const state = () =>
        server.query(
          `select c.opted_out, c.groups, s.state, s.until, person_stopped($1, array[$2]) from (select) one
          left join contacts c on c.phone = $2 left join consent_states s on s.number = $2`,
          [ann.id, number],
        )
      const stateBefore = await state()
      const answer = await join(number)
      expect([
        await count('sms_messages'),
        await count('consents'),
        await count('sms_dispatch'),
      ]).toEqual(before)
      expect(await state()).toEqual(stateBefore)
      expect(await join(other)).toEqual(answer)
      // and again, within the pause and after it
      const again = async () => [await join(number), await join(other)]
      const [first, second] = await again()
      expect(first).toEqual(second)
      await endPauses()
      const [third, fourth] = await again()
      expect(third).toEqual(fourth)
    },
  )
})
