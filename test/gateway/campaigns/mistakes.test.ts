import { endMessages } from '../../../src/gateway/retention/end-messages.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

// The text of a campaign changes for those who have not got it, and an earlier campaign is an audience.

const gateway = await startServerWithDevices()
const { query } = gateway

async function makeShop() {
  const shop = await gateway.makeUser()
  return { shop, phone: await gateway.pair(shop) }
}
type Shop = Awaited<ReturnType<typeof makeShop>>

const NUMBERS = Array.from({ length: 6 }, (_, i) => `+49151000200${i}`)
const LIST = NUMBERS.map((to, i) => ({
  to,
  values: { time: `${i} pm`, ...(i < 5 && { room: i }) },
}))

const settle = (campaign: string) =>
  expect
    .poll(() => query('select settled from campaigns where id = $1', [campaign]))
    .toEqual([[true]])

async function make({ shop }: Shop, body: object) {
  const made = await must(shop, 'POST', '/api/campaigns', { hold_seconds: 0, ...body })
  await settle(made.id)
  await expect
    .poll(() => query(`select status = 'scheduled' from campaigns where id = $1`, [made.id]))
    .toEqual([[false]])
  return made as { id: string; recipients_count: number }
}

/** Waits until so many texts can be claimed, and reports them. Returns their numbers. */
async function leave({ phone }: Shop, count: number, status = 'sent') {
  const claimed: { id: string; attempt: number; to: string }[] = []
  const claim = async () => {
    const limit = count - claimed.length
    const { items } = await must(phone, 'POST', '/api/devices/claim', { limit })
    claimed.push(...items)
    return claimed.length
  }
  await expect.poll(claim, { timeout: 30_000 }).toBe(count)
  const reports = claimed.map(({ id, attempt }) => ({
    id,
    attempt,
    status,
    ...(status === 'failed' && { error: 'No credit' }),
  }))
  await must(phone, 'POST', '/api/devices/report', { items: reports })
  return claimed.map(({ to }) => to)
}

const textsOf = (shop: Shop) =>
  query(
    `select "to", body, status from sms_messages where "user" = $1 and message_type = 'outgoing' order by "to", body`,
    [shop.shop.id],
  ) as Promise<[to: string, body: string, status: string][]>

const PLACES: readonly [string, object, (i: number) => string, (i: number) => string, object][] = [
  ['numbers', { body: 'Old', recipients: NUMBERS }, () => 'Old', () => 'New', { body: 'New' }],
  [
    'a list',
    { body: 'Old {{time}}', list: LIST },
    (i) => `Old ${i} pm`,
    (i) => `New ${i} pm`,
    { body: 'New {{time}}' },
  ],
]

test.each(PLACES)(
  'the text of a campaign to %s changes for those who have not got it, paused or sending',
  async (_, body, old, changed, change) => {
    for (const isPaused of [true, false]) {
      const shop = await makeShop()
      const { id } = await make(shop, body)
      const got = await leave(shop, 2)
      if (isPaused) await must(shop.shop, 'POST', `/api/campaigns/${id}/pause`)
      const state = await must(shop.shop, 'PATCH', `/api/campaigns/${id}`, change)
      expect(state).toMatchObject({ recipients_count: 6, segments: 6, revision: 2 })
      if (isPaused) await must(shop.shop, 'POST', `/api/campaigns/${id}/resume`)
      await settle(id)
      const again = await leave(shop, 4)
      expect([...got, ...again].toSorted()).toEqual(NUMBERS)
      expect((await textsOf(shop)).map(([to, words]) => [to, words])).toEqual(
        NUMBERS.map((to, i) => [to, (got.includes(to) ? old : changed)(i)]),
      )
      const progress = await must(shop.shop, 'GET', `/api/campaigns/${id}/progress`)
      expect(progress.counts).toMatchObject({ sent: 6, pending: 0 })
      const late = await shop.shop.call('PATCH', `/api/campaigns/${id}`, change)
      expect([late.status, late.body.error]).toEqual([409, 'campaign_begun'])
    }
  },
)

test('a change of a begun campaign is made whole or not at all', async () => {
  const shop = await makeShop()
  const { id } = await make(shop, { body: 'Old {{time}}', list: LIST })
  await leave(shop, 1)
  for (const [change, status, says] of [
    [{ body: 'In room {{room}}' }, 400, 'Line 6 of the list would get no text: No value: room'],
    [{ body: 'x', scheduled_at: '2090-01-01T00:00:00Z' }, 409, 'has begun'],
    [{ body: 'x', recipients: ['+4915100020009'] }, 409, 'has begun'],
  ] as const) {
    const answer = await shop.shop.call('PATCH', `/api/campaigns/${id}`, change)
    expect([answer.status, String(answer.body.message)]).toEqual([
      status,
      expect.stringContaining(says),
    ])
  }
  expect((await textsOf(shop)).every(([, body]) => body.startsWith('Old'))).toBe(true)
})

test('texts that a change has not stored yet are counted as waiting', async () => {
  const shop = await makeShop()
  const { id } = await make(shop, { body: 'Old {{time}}', list: LIST })
  await leave(shop, 2)
  const { call } = shop.shop
  const pending = async () =>
    (await call('GET', `/api/campaigns/${id}/progress`)).body.counts.pending
  await must(shop.shop, 'POST', `/api/campaigns/${id}/pause`)
  expect(await pending()).toBe(4)
  await must(shop.shop, 'PATCH', `/api/campaigns/${id}`, { body: 'New {{time}}' })
  expect(await pending()).toBe(4)
  await must(shop.shop, 'POST', `/api/campaigns/${id}/cancel`)
  expect(await pending()).toBe(0)
})

test('a row that had a gap gets the new text that needs no value of it', async () => {
  const shop = await makeShop()
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = await must(shop.shop, 'POST', '/api/campaigns', {
    ...{ body: 'In {{room}}', list: LIST, scheduled_at },
  })
  await settle(id)
  const state = await must(shop.shop, 'PATCH', `/api/campaigns/${id}`, { body: 'At {{time}}' })
  expect(state.recipients_count).toBe(6)
  const rows = await must(shop.shop, 'GET', `/api/campaigns/${id}/recipients`)
  expect(
    rows.items.every(({ reason, message }: Record<string, string>) => !reason && message),
  ).toBe(true)
})

test.each<[state: string, source: object]>([
  ['numbers', { body: 'Old', recipients: NUMBERS }],
  ['a list', { body: 'Old {{time}}', list: [...LIST, { to: '+4915100020009', values: {} }] }],
])(
  'those who got a campaign to %s, did not, failed or answered are an audience',
  async (_, body) => {
    const shop = await makeShop()
    const { id } = await make(shop, body)
    const sent = await leave(shop, 2)
    const failed = await leave(shop, 2, 'failed')
    await gateway.hear(shop.phone, [[sent[0]!, 'Thank you']])
    await must(shop.shop, 'POST', `/api/campaigns/${id}/cancel`)
    const left = 'list' in body ? ['+4915100020009'] : []
    const not = [...NUMBERS.filter((to) => !sent.includes(to)), ...left]
    for (const [state, expected] of [
      ['sent', sent],
      ['not_sent', not],
      ['failed', failed],
      ['answered', sent.slice(0, 1)],
    ] as const) {
      const plan = { body: 'Sorry', of_campaign: id, state }
      const preview = await must(shop.shop, 'POST', '/api/campaigns/preview', plan)
      expect([state, preview.recipients_count]).toEqual([state, expected.length])
      await must(shop.shop, 'POST', '/api/campaigns', {
        ...{ ...plan, scheduled_at: '2090-01-01T00:00:00Z' },
      })
    }
    const other = await gateway.makeUser()
    const plan = { body: 'Hi', of_campaign: id, state: 'sent' }
    expect((await other.call('POST', '/api/campaigns', plan)).body.error).toBe('campaign_not_found')
    const half = await other.call('POST', '/api/campaigns', { body: 'Hi', of_campaign: id })
    expect(half.body.message).toContain('need each other')
  },
)

test('a filter of contacts is an audience, beside numbers and groups', async () => {
  const { shop } = await makeShop()
  const record = (name: string, values: object) =>
    must(shop, 'POST', `/api/collections/${name}/records`, { user: shop.id, ...values })
  const group = await record('contact_groups', { name: 'Guests' })
  for (const [i, city] of ['Berlin', 'Bonn', 'Berlin', 'Berlin'].entries())
    await record('contacts', {
      name: `C${i}`,
      phone: NUMBERS[i],
      data: { city },
      opted_out: i === 3,
      ...(i === 1 && { groups: [group.id] }),
    })
  const preview = (filter: string, more = {}) =>
    shop.call('POST', '/api/campaigns/preview', { body: 'Hi', filter, ...more })
  for (const [filter, count] of [
    ['data.city = "Berlin"', 2],
    ['groups.name = "Guests" || name = "C0"', 2],
    ['name ~ "C"', 3],
  ] as const)
    expect([filter, (await preview(filter)).body.recipients_count]).toEqual([filter, count])
  const both = await preview('data.city = "Bonn"', { recipients: [NUMBERS[0], NUMBERS[1]] })
  expect(both.body.recipients_count).toBe(2)
  expect((await preview('nonsense =')).body).toMatchObject({ error: 'invalid_request' })
  expect((await preview('name = "Nobody"')).body.message).toContain('nobody')
  expect((await preview('@collection.users.id != ""')).status).toBe(403)
  const { id } = await must(shop, 'POST', '/api/campaigns', {
    ...{ body: 'Hi', filter: 'data.city = "Berlin"', scheduled_at: '2090-01-01T00:00:00Z' },
  })
  expect((await must(shop, 'GET', `/api/collections/campaigns/records/${id}`)).filter).toContain(
    'Berlin',
  )
})

test.each(['redact', 'delete'] as const)(
  'the rows of a list end with its texts, also those that were left out, by %s',
  async (mode) => {
    const shop = await makeShop()
    const list = [...LIST, { to: '+4915100020009', values: { note: 'ill' } }]
    const { id } = await make(shop, { body: 'At {{time}}', list })
    await leave(shop, 6)
    const { server } = gateway
    const { store } = server.services
    const texts = await query('select id from sms_messages where sent_by = $1', [id])
    await store.db.transaction((db) =>
      endMessages(
        { db, catalog: store.catalog },
        new Map(),
        mode,
        texts.map(([text]) => String(text)),
      ),
    )
    const rows = await query('select values::text from campaign_recipients where campaign = $1', [
      id,
    ])
    expect(rows).toEqual(mode === 'delete' ? [] : Array.from({ length: 7 }, () => ['{}']))
  },
)
