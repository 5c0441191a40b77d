import { pairPhone, receive, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'

const NUMBER = '+4915550000001'
const FROM = '+4915117777777'
const KEYS = 'end first_page_uri messages next_page_uri page page_size previous_page_uri start uri'

const sids: string[] = []
const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)
for (let i = 0; i < 5; i++) sids.unshift((await ann.send({ Body: `Text ${i}` })).body.sid)

const list = (query = '') => ann.ask('GET', `Messages.json${query}`)
const bodySids = (body: { messages: { sid: string }[] }) => body.messages.map(({ sid }) => sid)

describe('pages of messages', () => {
  test("pages of messages have exactly Twilio's keys", async () => {
    const { body } = await list()
    expect(Object.keys(body).sort().join(' ')).toBe(KEYS)
    expect(bodySids(body)).toEqual(sids)
    const alone = { next_page_uri: null, previous_page_uri: null }
    expect(body).toMatchObject({ start: 0, end: 4, page: 0, page_size: 50, ...alone })
    for (const uri of [body.uri, body.first_page_uri])
      expect(uri).toMatch(
        new RegExp(`^/2010-04-01/Accounts/${ann.sid}/Messages.json\\?PageSize=50&Page=0$`),
      )
  })

  test('pages of messages link to each other and stay stable while messages arrive', async () => {
    const first = (await list('?PageSize=2&To=%2B4915112345678')).body
    expect(bodySids(first)).toEqual(sids.slice(0, 2))
    await ann.send({ Body: 'Meanwhile', To: '+4915112345679' })
    const second = (await ann.raw('GET', first.next_page_uri)).body
    expect(bodySids(second)).toEqual(sids.slice(2, 4))
    expect(second).toMatchObject({ page: 1, start: 2, end: 3, page_size: 2 })
    expect(second.next_page_uri).toContain('To=%2B4915112345678')
    const third = (await ann.raw('GET', second.next_page_uri)).body
    expect(bodySids(third)).toEqual(sids.slice(4))
    expect(third.next_page_uri).toBeNull()
    const back = (await ann.raw('GET', third.previous_page_uri)).body
    expect(bodySids(back)).toEqual(sids.slice(2, 4))
    expect(bodySids((await ann.raw('GET', back.previous_page_uri)).body)).toEqual(sids.slice(0, 2))
    expect(bodySids((await list('?PageSize=2&Page=1&To=%2B4915112345678')).body)).toEqual(
      sids.slice(2, 4),
    )
  })

  test.each([
    ['PageSize=5000', 1000],
    ['PageSize=1', 1],
    ['', 50],
  ])('pages of messages with the query "%s" have the size %i', async (query, size) =>
    expect((await list(`?${query}`)).body.page_size).toBe(size),
  )

  test.each([
    ['PageSize=0', 20001],
    ['Page=-1', 20001],
    ['PageToken=x', 21481],
    [`PageToken=PASM${'61'.repeat(15)}00`, 21481],
    ['Status=sent', 20001],
    ['DateSent=yesterday', 20001],
    ['DateSent%3E=1700000000', 20001],
  ])('pages of messages with the query %s are refused with the error %i', async (query, code) => {
    expect((await list(`?${query}`)).body).toMatchObject({ code, status: 400 })
  })
})

describe('filters of messages', () => {
  beforeAll(async () => {
    for (const [name, date] of [
      ['before', '2026-11-20T23:59:59.900Z'],
      ['midnight', '2026-11-21T00:00:00.000Z'],
      ['noon', '2026-11-21T12:00:00.500Z'],
      ['after', '2026-11-22T00:00:00.000Z'],
    ])
      await receive(phone, FROM, name!, Date.parse(date!))
  })
  const found = async (query: string) => {
    const { body } = await list(`?From=${encodeURIComponent(FROM)}&${query}`)
    return body.messages.map((message: { body: string }) => message.body).reverse()
  }

  test.each([
    ['DateSent=2026-11-21', ['midnight', 'noon']],
    ['DateSent=2026-11-21T00:00:00Z', ['midnight', 'noon']],
    ['DateSent=2026-11-21T01:00:00%2B01:00', ['midnight', 'noon']],
    ['DateSent=2026-11-21T12:00:00Z', ['noon']],
    ['DateSent%3E=2026-11-21', ['midnight', 'noon', 'after']],
    ['DateSent>=2026-11-21T12:00:00Z', ['noon', 'after']],
    ['DateSent%3C=2026-11-20', ['before']],
    ['DateSent<=2026-11-21T00:00:00Z', ['before', 'midnight']],
    ['DateSent>=2026-11-21&DateSent<=2026-11-21', ['midnight', 'noon']],
  ])('filters of messages with the query %s find the messages %j', async (query, bodies) => {
    expect(await found(query)).toEqual(bodies)
  })

  test("filters of messages accept the account's own number in To and From", async () => {
    expect((await list(`?To=${encodeURIComponent(NUMBER)}`)).body.messages).toHaveLength(4)
    expect((await list(`?From=${encodeURIComponent(NUMBER)}`)).body.messages).toHaveLength(6)
  })

  test('filters of messages accept a sender name with separators in From', async () => {
    await receive(phone, 'DHL-Info', 'Parcel')
    for (const from of ['DHL-Info', '+49 (1511) 7777-777'])
      expect(
        (await list(`?${new URLSearchParams({ From: from })}`)).body.messages.length,
      ).toBeGreaterThan(0)
  })

  test('filters of messages find by To texts received before the device had its number', async () => {
    const late = await fixture.gateway.pair(ann.user, {})
    const id = await receive(late, FROM, 'Early')
    const phoneNumber = '+4915550000009'
    await ann.user.call('PATCH', `/api/collections/devices/records/${late.id}`, {
      phone: phoneNumber,
    })
    const { messages } = (await list(`?To=${encodeURIComponent(phoneNumber)}`)).body
    expect(messages).toMatchObject([{ to: phoneNumber, body: 'Early' }])
    expect(Buffer.from(messages[0].sid.slice(2, 32), 'hex').toString()).toBe(id)
  })
})
