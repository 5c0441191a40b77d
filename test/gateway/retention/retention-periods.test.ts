import { endOldMessages } from '../../../src/gateway/retention/end-old-messages.ts'
import { endOldByPerson } from '../../../src/gateway/retention/retention-feature.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// Days of accounts and groups, against a server that keeps texts for 100 days.

const SERVER = { mode: 'redact', days: 100 } as const
const { superuser, query, makeUser, server, guest } = await startServerWithDevices({
  SMS_RETENTION_DAYS: String(SERVER.days),
})
const { store } = server.services
const extensions = collectExtensions({ webhookAllowPrivate: false })
const PHONE = '+4915112345678'
const OTHER = '+4915112345679'

let ann: Client
beforeEach(async () => {
  ann = await makeUser()
})

const keep = (days: object, by = ann) =>
  must(by, 'POST', '/api/collections/user_settings/records', { user: by.id, ...days })
const makeGroup = async (keep_days: number, by = ann) =>
  (
    await must(by, 'POST', '/api/collections/contact_groups/records', {
      user: by.id,
      name: `${keep_days}`,
      keep_days,
    })
  ).id
const makeContact = (phone: string, groups: string[]) =>
  must(ann, 'POST', '/api/collections/contacts/records', { user: ann.id, phone, groups })

let texts = 0
/** A text of this type, with this age in days, from or to a number. Returns its id. */
async function add(
  type: 'incoming' | 'outgoing',
  age: number,
  number = PHONE,
  by = ann,
): Promise<string> {
  const id = `text${String(texts++).padStart(11, '0')}`
  await query(
    `insert into sms_messages (id, "user", status, message_type, "from", "to", body, attachments, created, updated)
     select $1, $2, case $3 when 'incoming' then 'received' else 'sent' end, $3, case $3 when 'incoming' then $4 else '' end,
       case $3 when 'incoming' then '' else $4 end, 'secret', '{a.jpg}', at, at
     from pb_text(now() - make_interval(days => $5::int)) at`,
    [id, by.id, type, number, age],
  )
  return id
}
/** The body and the number of files of these texts. */
const contents = async (ids: readonly string[]) =>
  (
    await query(
      'select body, cardinality(attachments) from sms_messages where id = any($1) order by id',
      [ids],
    )
  ).map(([body, files]) => `${body} ${files}`)
const run = async () => {
  await endOldMessages(store, extensions, SERVER)
  await endOldByPerson(store, extensions, SERVER)
}

test.each([
  ['texts of both kinds go after the days of the server', {}, ['secret 1', 'secret 1', ' 0', ' 0']],
  [
    'received texts go after days of their own',
    { keep_incoming: 20 },
    [' 0', 'secret 1', ' 0', ' 0'],
  ],
  ['sent texts go after days of their own', { keep_outgoing: 20 }, ['secret 1', ' 0', ' 0', ' 0']],
  ['files go before their texts', { keep_files: 20 }, ['secret 0', 'secret 0', ' 0', ' 0']],
  [
    'an account cannot keep texts longer than the server',
    { keep_outgoing: 300 },
    ['secret 1', 'secret 1', ' 0', ' 0'],
  ],
])('%s', async (_, days, left) => {
  if (Object.keys(days).length > 0) await keep(days)
  const ids = [
    await add('incoming', 30),
    await add('outgoing', 30),
    await add('incoming', 101),
    await add('outgoing', 101),
  ]
  const ben = await makeUser()
  const others = await add('incoming', 30, PHONE, ben)
  await run()
  expect(await contents(ids)).toEqual(left)
  expect(await contents([others])).toEqual(['secret 1'])
})

test('texts from and to members are deleted after the fewest days of their groups', async () => {
  const [short, long] = [await makeGroup(10), await makeGroup(50)]
  await makeContact(PHONE, [long, short])
  const ids = [
    await add('incoming', 11),
    await add('outgoing', 11),
    await add('outgoing', 9),
    await add('incoming', 11, OTHER),
  ]
  await run()
  expect(await contents(ids)).toEqual([' 0', ' 0', 'secret 1', 'secret 1'])
})

/** An entry of consent that was added and, if it made the present state, changed it so many days ago. */
async function agree(event: string, age: number, number: string, group = ''): Promise<string> {
  const { id } = await must(ann, 'POST', '/api/collections/consents/records', {
    user: ann.id,
    number,
    event,
    group,
    shown: 'Yes',
  })
  // the ledger refuses updates, so the test turns its triggers off
  await store.db.transaction(async (db) => {
    const triggers = (state: 'disable' | 'enable') =>
      db.script(
        `alter table consents ${state} trigger user; alter table consent_states ${state} trigger user`,
      )
    await triggers('disable')
    const at = 'pb_text(now() - make_interval(days => $2::int))'
    await db.query(`update consents set created = ${at} where id = $1`, [id, age])
    await db.query(`update consent_states set updated = ${at}, since = ${at} where entry = $1`, [
      id,
      age,
    ])
    await triggers('enable')
  })
  return id
}
const kept = async () =>
  (await query('select id from consents where "user" = $1 order by created', [ann.id])).map(
    ([id]) => id,
  )

test('an entry of consent is deleted some days after another entry replaced it, and leaves its hash', async () => {
  await keep({ keep_consents: 200, keep_outgoing: 90 })
  const [replacedLately, replacedLong] = ['+4915112340001', '+4915112340002']
  const first = await agree('opt_in', 900, replacedLately)
  const stop = await agree('opt_out', 199, replacedLately)
  const gone = await agree('opt_in', 900, replacedLong)
  const present = await agree('opt_out', 201, replacedLong)
  const inForce = await agree('opt_in', 3_000, PHONE)
  await run()
  expect(new Set(await kept())).toEqual(new Set([first, stop, present, inForce]))
  expect(await query('select event from _consents_forgotten where "user" = $1', [ann.id])).toEqual([
    ['opt_in'],
  ])
  expect(gone).not.toBe('')
})

test.each([
  ['as long as the sent texts that it proves', { keep_consents: 10, keep_outgoing: 80 }, 79, 1],
  ['no longer than the sent texts that it proves', { keep_consents: 10, keep_outgoing: 80 }, 81, 0],
  ['without days of its own', { keep_outgoing: 80 }, 3_000, 1],
])('a replaced entry of consent stays %s', async (_, days, age, left) => {
  await keep(days)
  const old = await agree('opt_in', 4_000, PHONE)
  await agree('opt_out', age, PHONE)
  await run()
  expect((await kept()).filter((id) => id === old)).toHaveLength(left)
})

test("the days of a deleted group's entry count from the last text to its number", async () => {
  await keep({ keep_consents: 200 })
  const group = await makeGroup(0)
  const old = await agree('opt_in', 900, PHONE, group)
  await must(ann, 'DELETE', `/api/collections/contact_groups/records/${group}`)
  const text = (days: number) =>
    query(
      `insert into conversations (id, "user", number, last_at, created, updated)
       select pb_new_id(), $1, $2, at, at, at from pb_text(now() - make_interval(days => $3::int)) at
       on conflict ("user", number) do update set last_at = excluded.last_at`,
      [ann.id, PHONE, days],
    )
  await text(199)
  await run()
  expect(await kept()).toEqual([old])
  await text(201)
  await run()
  expect(await kept()).toEqual([])
})

describe('GET /api/account/retention', () => {
  const read = (by: Client) => by.call('GET', '/api/account/retention')
  const inDays = (days: number) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

  test('GET /api/account/retention answers the days, the first deletion and the number within a day of it', async () => {
    await keep({ keep_incoming: 20, keep_files: 40, keep_consents: 200 })
    const group = await makeGroup(30)
    await makeContact(OTHER, [group])
    for (const age of [10, 10, 5]) await add('incoming', age)
    await add('outgoing', 50, OTHER)
    await agree('opt_in', 900, PHONE)
    await agree('opt_out', 150, PHONE)
    const { body } = await read(ann)
    const shown = (one: { days: number; next_at: string; count: number }) => [
      one.days,
      one.next_at.slice(0, 10),
      one.count,
    ]
    expect(body.mode).toBe('redact')
    expect(
      body.kinds.map((one: { kind: string } & Parameters<typeof shown>[0]) => [
        one.kind,
        ...shown(one),
      ]),
    ).toEqual([
      ['incoming', 20, inDays(10), 2],
      ['outgoing', 100, inDays(50), 1],
      ['files', 40, inDays(0), 1],
      ['consents', 200, inDays(50), 1],
    ])
    expect(body.groups).toMatchObject([{ id: group, name: '30', days: 30, count: 1 }])
    expect(body.groups[0].next_at.slice(0, 10)).toBe(inDays(0))
  })

  test('GET /api/account/retention answers no deletion for an account without texts', async () => {
    const { body } = await read(ann)
    expect(
      body.kinds.map(({ next_at, count }: { next_at: string; count: number }) => [next_at, count]),
    ).toEqual(Array(4).fill(['', 0]))
    expect(body.groups).toEqual([])
  })

  test('GET /api/account/retention refuses guests and superusers', async () => {
    expect([(await read(guest)).status, (await read(superuser)).status]).toEqual([401, 403])
  })
})

test('days below 0 and above 36,500 are refused', async () => {
  for (const keep_files of [-1, 36_501, 1.5]) {
    const body = { user: ann.id, keep_files }
    expect((await ann.call('POST', '/api/collections/user_settings/records', body)).status).toBe(
      400,
    )
  }
})
