import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const gateway = await startServerWithDevices()
const ann = await gateway.makeUser()
await gateway.pair(ann)

type Body = object

/** The rows of a list, once its texts are stored: number, reason, and the text. */
async function rowsOf(campaign: string) {
  await expect
    .poll(() => gateway.query('select settled from campaigns where id = $1', [campaign]))
    .toEqual([[true]])
  return gateway.query(
    `select r.line, r."to", r.reason, coalesce(m.body, '') from campaign_recipients r
    left join sms_messages m on m.id = r.message where r.campaign = $1 order by r.line, r._rowid`,
    [campaign],
  )
}

const makeList = (body: Body, by = ann) => must(by, 'POST', '/api/campaigns', body)

function makeForm(fields: Record<string, string>, csv: string) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('list', new Blob([csv]), 'list.csv')
  return makeList(form)
}

const ROWS = [
  { to: '+4915112340001', values: { name: 'Ben', time: '7 pm' } },
  { to: '+49 151 1234-0002', values: { name: 'Zoe', time: 9 } },
  { to: '+4915112340003', values: { name: 'Cy', time: ' ' } },
  { to: 'later', values: { name: 'Dan', time: '8 pm' } },
  { to: '+4915112340001', values: { name: 'Bea', time: '8 pm' } },
  { to: '+4915112340001', values: { name: 'Ben', time: '7 pm' } },
  { to: '+4915112340004', values: { time: '8 pm' } },
]

const EXPECTED = [
  [1, '+4915112340001', '', 'Hi Ben, 7 pm'],
  [2, '+4915112340002', '', 'Hi Zoe, 9'],
  [3, '+4915112340003', 'No value: Time', ''],
  [4, 'later', 'Not a phone number', ''],
  [5, '+4915112340001', '', 'Hi Bea, 8 pm'],
  [6, '+4915112340001', 'The same text as line 1', ''],
  [7, '+4915112340004', 'No value: name', ''],
]

test('each row of a list gets its own text or its reason, from JSON and from a file', async () => {
  const text = { body: 'Hi {{name}}, {{Time}}', hold_seconds: 0 }
  const one = await makeList({ ...text, list: ROWS })
  expect(one).toMatchObject({ recipients_count: 3, segments: 3 })
  expect(await rowsOf(one.id)).toEqual(EXPECTED)
  const lines = ROWS.map(({ to, values: { name = '', time } }) => `${name};"${to}";${time}`)
  const two = await makeForm(
    { ...text, hold_seconds: '0' },
    `Name;Handy;Time\n${lines.join('\n')}\n`,
  )
  expect((await rowsOf(two.id)).map((row) => row.slice(1))).toEqual(
    EXPECTED.map((row) => [row[1], String(row[2]).replace('line 1', 'line 2'), row[3]]),
  )
  const read = await must(
    ann,
    'GET',
    `/api/collections/campaign_recipients/records?filter=campaign="${one.id}"&sort=line&expand=message`,
  )
  expect(read.items[1]).toMatchObject({ to: '+4915112340002', values: { name: 'Zoe', time: 9 } })
  const sent = await must(
    ann,
    'GET',
    `/api/collections/campaign_recipients/records?filter=message.status!=''%26%26campaign="${one.id}"`,
  )
  expect(sent.totalItems).toBe(3)
})

test.each<[title: string, body: Body, says: string]>([
  ['no row gets a text', { list: [{ to: 'x' }] }, 'Line 1: Not a phone number'],
  ['it has numbers, too', { list: ROWS, recipients: ['+4915112340001'] }, 'excludes'],
  ['it repeats', { list: ROWS, repeat: { cron: '0 8 * * *' } }, 'excludes'],
  ['it is empty', { list: [] }, 'must not be empty'],
  ['a row has no number', { list: [{ values: {} }] }, 'list[0].to'],
  ['its country is none', { list: ROWS, country: 'XX' }, 'country must be the ISO 3166 code'],
  [
    'a time is wanted of a day without one',
    { body: '{{d:time}}', list: [{ to: '+4915112340001', values: { d: '3.12.2026' } }] },
    'Line 1: No value: d:time',
  ],
])('a list is refused whole where %s', async (_, body, says) => {
  const answer = await ann.call('POST', '/api/campaigns', { body: 'Hi', ...body })
  expect([answer.status, String(answer.body.message)]).toEqual([400, expect.stringContaining(says)])
})

test.each<[what: string, value: string | number, template: string, text: string]>([
  ['a day is as in ISO 8601', '2026-12-01', 'Am {{Termin}}', 'Am 1.12.2026'],
  [
    'a variable has a format',
    '1.12.2026',
    'Am {{Termin:weekday}}',
    'Am Dienstag, 1. Dezember 2026',
  ],
  [
    'a variable with a format stands beside one without',
    '3.12.2026 9:30 Uhr',
    '{{Termin}}: {{Termin:weekday}} um {{Termin:time}}',
    '3.12.2026 09:30: Donnerstag, 3. Dezember 2026 um 09:30',
  ],
  ['the time is that of an instant', '2026-12-03T23:30:00Z', '{{termin}}', '4.12.2026 00:30'],
  ['a day without a time has a default', '3.12.2026', '{{Termin:time|morgens}}', 'morgens'],
  ['a cell has characters that no database stores', 'a\0b\ud800', '{{Termin}}', 'ab\ufffd'],
  ['a number is one of JSON', 12.5, '{{Termin}} kg', '12,5 kg'],
  ['a cell is a text', 'am 1.12.', 'Termin: {{termin}}', 'Termin: am 1.12.'],
  ['a day has a time', '1.12.2026 10:30', '{{Termin}}', '1.12.2026 10:30'],
  ['a number begins with a zero', '0815', 'Nr. {{Termin}}', 'Nr. 0815'],
])('values are written as the account writes them, if %s', async (_, value, body, text) => {
  const bob = await gateway.makeUser()
  await must(bob, 'PATCH', `/api/collections/users/records/${bob.id}`, { language: 'de' })
  await must(bob, 'POST', '/api/collections/user_settings/records', {
    ...{ user: bob.id, country: 'DE', time_zone: 'Europe/Berlin' },
  })
  const list = [{ to: '0151 12340009', values: { Termin: value } }]
  const { first, left_out } = await must(bob, 'POST', '/api/campaigns/preview', { body, list })
  expect([first.to, first.body, left_out.count]).toEqual(['+4915112340009', text, 0])
})

test('a file with characters that no database stores is stored without them', async () => {
  const { id } = await makeForm({ body: 'Hi {{Name}}' }, 'Name;Handy\nB\0o;+4915112340001\n')
  const stored = await gateway.query(
    'select "values"::text from campaign_recipients where campaign = $1',
    [id],
  )
  expect(stored).toEqual([['{"Name":"Bo","Handy":"+4915112340001"}']])
})

test('a preview shows the longest text and the text with empty values first', async () => {
  const list = ['Bo', '', 'Maximiliane', 'Al', 'Cy'].map((name, i) => ({
    ...{ to: `+491511234010${i}`, values: { name } },
  }))
  const body = 'Hi {{name|}}!'
  const { samples, first } = await must(ann, 'POST', '/api/campaigns/preview', { body, list })
  expect(samples.map((text: { body: string }) => text.body)).toEqual([
    'Hi Maximiliane!',
    'Hi !',
    'Hi Bo!',
  ])
  expect(first.body).toBe('Hi Bo!')
})
