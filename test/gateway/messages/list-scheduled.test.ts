import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const ann = await server.makeUser()
await server.pair(ann)
const DAY = '2099-11-20'
const [ZOE, YARA] = ['+4915112345678', '+4915112345679']

const send = (recipients: readonly string[], body: string, at: string) =>
  must(ann, 'POST', '/api/sms/send', { recipients, body, scheduled_at: `${at}Z` })
const list = (query: Readonly<Record<string, string>> = {}) =>
  must(ann, 'GET', `/api/sms/scheduled?${new URLSearchParams(query)}`)
const days = (query: Readonly<Record<string, string>> = {}) =>
  must(ann, 'GET', `/api/sms/scheduled/days?${new URLSearchParams(query)}`)

const single = await send([ZOE], 'Your table', `${DAY}T08:00:00`)
const both = await send([ZOE, YARA], 'We open', `${DAY}T08:00:00`)
const later = await send([YARA], 'Next year', '2100-01-02T08:00:00')
await must(ann, 'POST', '/api/sms/send', { recipients: [ZOE], body: 'Now' })
await must(ann, 'POST', '/api/campaigns', {
  recipients: [ZOE, YARA],
  body: 'Sale',
  scheduled_at: `${DAY}T09:00:00Z`,
})

test('scheduled texts are listed by send, without those of campaigns and those that are due', async () => {
  const { items, next } = await list()
  expect(next).toBe('')
  expect(
    items.map(({ send, is_batch, messages, body }: Record<string, unknown>) => [
      send,
      is_batch,
      messages,
      body,
    ]),
  ).toEqual([
    ...[
      [single.message_ids[0], false, 1, 'Your table'],
      [both.batch_id, true, 2, 'We open'],
    ].sort(([a], [b]) => (a < b ? -1 : 1)),
    [later.message_ids[0], false, 1, 'Next year'],
  ])
  expect((await (await server.makeUser()).call('GET', '/api/sms/scheduled')).body.items).toEqual([])
})

test('pages of scheduled sends follow each other without a gap', async () => {
  const found: string[] = []
  let after: string | undefined
  do {
    const page = await list({ limit: '1', ...(after && { after }) })
    found.push(...page.items.map((item: { send: string }) => item.send))
    after = page.next
  } while (after)
  expect(found).toEqual((await list()).items.map((item: { send: string }) => item.send))
})

test('a period has whole days of the time zone of the account', async () => {
  const zone = 'Pacific/Kiritimati' // 14 hours ahead
  const [settings] = (await must(ann, 'GET', '/api/collections/user_settings/records')).items
  const path = '/api/collections/user_settings/records'
  const kept = settings ?? (await must(ann, 'POST', path, { user: ann.id }))
  await must(ann, 'PATCH', `${path}/${kept.id}`, { time_zone: zone })
  expect(await days()).toEqual({
    days: [
      { day: '2099-11-20', sends: 2, messages: 3 },
      { day: '2100-01-02', sends: 1, messages: 1 },
    ],
  })
  await must(ann, 'PATCH', `/api/sms/messages/${later.message_ids[0]}`, {
    scheduled_at: '2100-01-02T11:00:00Z',
  })
  expect(await days({ from: '2100-01-01' })).toEqual({
    days: [{ day: '2100-01-03', sends: 1, messages: 1 }],
  })
  expect((await list({ from: '2099-11-21', until: '2100-01-02' })).items).toEqual([])
  expect((await list({ from: '2100-01-03', until: '2100-01-03' })).items).toHaveLength(1)
})

test('a text of a send that was moved to another time has a row of its own', async () => {
  const [moved] = both.message_ids
  await must(ann, 'PATCH', `/api/sms/messages/${moved}`, { scheduled_at: '2099-11-25T08:00:00Z' })
  const rows = (await list()).items.filter((item: { send: string }) => item.send === both.batch_id)
  expect(rows).toMatchObject([
    { messages: 1, scheduled_at: `${DAY} 08:00:00.000Z` },
    { messages: 1, message: moved, scheduled_at: '2099-11-25 08:00:00.000Z' },
  ])
})

test.each([
  ['from=2099-13-01', 'from must be a day, for example 2026-11-30'],
  ['limit=0', 'limit must be a whole number from 1 to 200'],
  ['after=tomorrow/x', 'after must be `next` of a page'],
])('the query %s is refused', async (query, message) => {
  expect(await ann.call('GET', `/api/sms/scheduled?${query}`)).toEqual({
    status: 400,
    body: { error: 'invalid_request', message },
  })
})
