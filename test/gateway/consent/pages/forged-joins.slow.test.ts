import { request } from '../../../support/server/request.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'

const server = await startServerWithDevices({ TRUSTED_PROXIES: '127.0.0.1,::1' })

const LANES = 10

/** An account whose group has a page. */
async function makePage(limits: object) {
  const user = await server.makeUser()
  await server.pair(user, { platform: 'simulator' })
  await must(server.superuser, 'POST', '/api/collections/user_settings/records', {
    user: user.id,
    ...limits,
  })
  const group = { user: user.id, name: 'News', join_page: true }
  const { id } = await must(user, 'POST', '/api/collections/contact_groups/records', group)
  const { text } = await request(server.url, 'GET', `/join/${id}`)
  return {
    user: user.id,
    path: `/join/${id}`,
    version: /name="version" value="(\w+)"/.exec(text)![1]!,
  }
}

/** Posts so many forged forms, several at a time. Returns how many got each status. */
async function forge(
  forged: number,
  { path, version }: Awaited<ReturnType<typeof makePage>>,
  visit: (i: number) => { readonly number: string; readonly address: string },
) {
  const statuses = new Map<number, number>()
  let next = 0
  const lane = async () => {
    for (let i = next++; i < forged; i = next++) {
      const { number, address } = visit(i)
      const form = new URLSearchParams({ number, agree: 'yes', version })
      const { status } = await request(server.url, 'POST', path, form, {
        'x-forwarded-for': address,
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return Object.fromEntries(statuses)
}

const leftBehind = async (user: string) => {
  const count = async (table: string) =>
    Number((await server.query(`select count(*) from ${table} where "user" = $1`, [user]))[0]![0])
  return { texts: await count('sms_messages'), entries: await count('consents') }
}

const number = (i: number) => `+49151${String(20_000_000 + i)}`
const address = (i: number) => `203.${i >> 8}.${i & 255}.7`

test.each<
  [forged: number, what: string, limits: object, visit: Parameters<typeof forge>[2], sent: number]
>([
  [
    100,
    'one network to 100 numbers',
    {},
    (i) => ({ number: number(i), address: '203.0.113.7' }),
    20,
  ],
  [
    1_000,
    '1,000 networks to 1,000 numbers',
    { code_max_per_account: 50 },
    (i) => ({ number: number(i), address: address(i) }),
    50,
  ],
  [100, '100 networks to one number', {}, (i) => ({ number: number(0), address: address(i) }), 1],
])(
  '%d forged joins of %s text no more than the limits let through',
  async (forged, _, limits, visit, sent) => {
    const page = await makePage(limits)
    expect(await forge(forged, page, visit)).toEqual({ 200: sent, 429: forged - sent })
    expect(await leftBehind(page.user)).toEqual({ texts: sent, entries: sent })
  },
)

test('forged joins of numbers in other countries send no text', async () => {
  const page = await makePage({ code_destinations: '+49' })
  const visit = (i: number) => ({ number: `+4366412${String(10_000 + i)}`, address: address(i) })
  expect(await forge(100, page, visit)).toEqual({ 403: 100 })
  expect(await leftBehind(page.user)).toEqual({ texts: 0, entries: 0 })
})
