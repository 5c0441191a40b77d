import { lockUserSends } from '../../../src/gateway/base/lock-user-sends.ts'
import { request } from '../../support/server/request.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// Who may say what in the ledger of consent, and which of two entries counts.

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })

const MINUTE_MS = 60_000
let numbers = 61_000_000
const nextNumber = () => `+4915${numbers++}`
const path = (collection: string) => `/api/collections/${collection}/records`
const record = (collection: string, values: object, by = ann) =>
  must(by, 'POST', path(collection), { user: ann.id, ...values })
const makeGroup = async (more: object = {}): Promise<string> =>
  (await record('contact_groups', { name: nextNumber(), ...more })).id
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString()
const report = (...items: (readonly [from: string, body: string, received_at: string])[]) =>
  must(phone, 'POST', '/api/devices/incoming', {
    items: items.map(([from, body, received_at]) => ({ from, body, received_at })),
  })
const contactOf = async (number: string) =>
  (
    await server.query('select opted_out, groups from contacts where phone = $1 and "user" = $2', [
      number,
      ann.id,
    ])
  )[0]
const stateOf = async (number: string, group = '') =>
  (
    await server.query('select state from consent_states where number = $1 and "group" = $2', [
      number,
      group,
    ])
  )[0]?.[0]
const deleteTexts = (number: string) =>
  server.query('delete from sms_messages where "from" = $1', [number])
const textsTo = async (number: string) =>
  (
    await server.query('select id from sms_messages where "to" = $1 order by _rowid', [number])
  ).flat()
const hear = (number: string, body: string) => server.hear(phone, [[number, body]])

test.each([
  ['its owner', () => ann],
  ['a superuser', () => server.superuser],
])('an entry that a person confirmed is refused by %s', async (_, by) => {
  const number = nextNumber()
  const group = await makeGroup({ join_confirm: true })
  const entry = { user: ann.id, number, group, event: 'confirmed', source: 'page', shown: 'Yes' }
  const forged = { ...entry, address: '192.0.2.7', browser: 'Firefox' }
  const alone = await by().call('POST', path('consents'), forged)
  expect([alone.status, alone.body.data.event.code]).toEqual([400, 'validation_invalid_event'])
  const requests = [{ method: 'POST', url: path('consents'), body: forged }]
  expect((await by().call('POST', '/api/batch', { requests })).status).toBe(400)
  expect(await stateOf(number, group)).toBeUndefined()
})

test('an entry of a superuser is never one of a page of the server', async () => {
  const entry = {
    user: ann.id,
    number: nextNumber(),
    event: 'opt_in',
    source: 'page',
    shown: 'Yes',
  }
  expect(await must(server.superuser, 'POST', path('consents'), entry)).toMatchObject({
    source: 'api',
  })
  expect(await record('consents', entry)).toMatchObject({ source: 'page', entered_by: ann.id })
  const phone = nextNumber()
  const by = { authorization: server.superuser.token, 'consent-source': 'page' }
  const contact = { user: ann.id, phone, opted_out: true }
  expect((await request(server.url, 'POST', path('contacts'), contact, by)).status).toBe(200)
  expect(await server.query('select source from consents where number = $1', [phone])).toEqual([
    ['api'],
  ])
})

test('an entry about the future is refused, and one in the database counts as the present', async () => {
  const number = nextNumber()
  const entry = {
    user: ann.id,
    number,
    event: 'opt_in',
    shown: 'Yes',
    given_at: '2099-01-01 00:00:00.000Z',
  }
  const refused = await ann.call('POST', path('consents'), entry)
  expect([refused.status, Object.keys(refused.body.data)]).toEqual([400, ['given_at']])
  await server.query(
    `insert into consents (id, "user", number, purpose, event, source, shown, given_at, created)
      values (pb_new_id(), $1, $2, 'all', 'opt_in', 'api', 'Yes', $3, pb_text(now()))`,
    [ann.id, number, entry.given_at],
  )
  await hear(number, 'STOP')
  expect(await contactOf(number)).toEqual([true, []])
  expect(await stateOf(number)).toBe('stopped')
  await hear(number, 'START')
  expect(await stateOf(number)).toBe('given')
})

describe('an import ends no opt-out', () => {
  test.each<[what: string, bring: (number: string, id: string) => Promise<unknown>]>([
    [
      'by a change of the contact',
      (_, id) =>
        request(
          server.url,
          'PATCH',
          `${path('contacts')}/${id}`,
          { opted_out: false, name: 'Imported' },
          { authorization: ann.token, 'consent-source': 'import' },
        ),
    ],
    [
      'by an opt-in with its own source',
      (number) => record('consents', { number, event: 'opt_in', source: 'import', shown: 'Yes' }),
    ],
    [
      'by a date that is later than the opt-out',
      (number) =>
        record('consents', { number, event: 'imported', shown: 'Yes', given_at: ago(-1) }),
    ],
    [
      'by a batch of requests',
      (_, id) =>
        must(ann, 'POST', '/api/batch', {
          requests: [
            {
              method: 'PATCH',
              url: `${path('contacts')}/${id}`,
              body: { opted_out: false },
              headers: { 'Consent-Source': 'import' },
            },
          ],
        }),
    ],
  ])('%s', async (_, bring) => {
    const number = nextNumber()
    await hear(number, 'STOP')
    const [[id]] = (await server.query('select id from contacts where phone = $1', [number])) as [
      [string],
    ]
    await bring(number, id)
    expect(await contactOf(number)).toEqual([true, []])
    expect(await stateOf(number)).toBe('stopped')
  })
})

test('an imported opt-out that is older than a consent has no effect, and any other opt-out counts', async () => {
  const number = nextNumber()
  await hear(number, 'STOP')
  await hear(number, 'START')
  const old = { number, event: 'opt_out', given_at: '2019-05-01 10:00:00.000Z' }
  await record('consents', { ...old, source: 'import' })
  expect(await contactOf(number)).toEqual([false, []])
  await record('consents', old)
  expect(await contactOf(number)).toEqual([true, []])
  expect(await stateOf(number)).toBe('stopped')
})

test('an older entry does not put a person back into a group', async () => {
  const group = await makeGroup()
  const number = nextNumber()
  await record('consents', { number, group, event: 'opt_in', shown: 'Yes' })
  await record('consents', { number, group, event: 'opt_out' })
  const given_at = '2019-05-01 10:00:00.000Z'
  for (const more of [{}, { source: 'import' }])
    await record('consents', { number, group, event: 'opt_in', shown: 'Yes', given_at, ...more })
  expect(await contactOf(number)).toEqual([false, []])
  expect(await stateOf(number, group)).toBe('stopped')
})

test('an older consent does not bring back a contact that a person took out of the group', async () => {
  const group = await makeGroup()
  const number = nextNumber()
  await record('consents', { number, group, event: 'opt_in', shown: 'Yes' })
  await server.query(`update contacts set groups = '{}' where phone = $1`, [number])
  await record('consents', {
    number,
    group,
    event: 'opt_in',
    shown: 'Yes',
    given_at: '2019-05-01 10:00:00.000Z',
  })
  expect(await contactOf(number)).toEqual([false, []])
})

test.each([
  ['STOP', ago(20)],
  ['a STOP that was repeated', ago(40)],
])(
  'an older START that is reported again does not end %s whose text was deleted',
  async (_, first) => {
    const number = nextNumber()
    await report([number, 'STOP', first])
    await report([number, 'stop', ago(20)])
    await deleteTexts(number)
    await report([number, 'START', ago(30)])
    expect(await contactOf(number)).toEqual([true, []])
    await report([number, 'START', ago(0)])
    expect(await contactOf(number)).toEqual([false, []])
  },
)

test('a START that a phone received in the future ends only opt-outs that came before it', async () => {
  const number = nextNumber()
  await report([number, 'START', '2099-01-01T00:00:00Z'])
  await hear(number, 'STOP')
  expect(await contactOf(number)).toEqual([true, []])
})

describe('YES', () => {
  async function ask(number: string) {
    const group = await makeGroup({ join_words: `JOIN${number.slice(1)}`, join_confirm: true })
    await hear(number, `JOIN${number.slice(1)}`)
    await until('the question', async () => (await textsTo(number)).length > 0)
    return group
  }
  const send = (number: string, body: string) =>
    must(ann, 'POST', '/api/sms/send', { recipients: [number], body })
  const report = (id: unknown, status: string) =>
    server.query(`update sms_messages set status = $2, sent_at = pb_text(now()) where id = $1`, [
      id,
      status,
    ])

  test.each<
    [what: string, state: string | undefined, prepare: (number: string) => Promise<unknown>]
  >([
    ['to the question confirms it', 'given', async () => {}],
    [
      'to a later text confirms nothing',
      'asked',
      (number) => send(number, 'Your visit tomorrow? Reply YES'),
    ],
    [
      'to a text that left after the question, but was made before it, confirms nothing',
      'asked',
      async (number) => report((await textsTo(number))[0], 'sent'),
    ],
    [
      'confirms nothing if the question has failed',
      'asked',
      async (number) => report((await textsTo(number)).at(-1), 'failed'),
    ],
    [
      'to the question confirms it after an answer to HELP',
      'given',
      async (number) => {
        await hear(number, 'HELP')
        await until('the answer', async () => (await textsTo(number)).length > 2)
      },
    ],
  ])('%s', async (_, state, prepare) => {
    const number = nextNumber()
    await send(number, 'Your visit tomorrow? Reply YES')
    await server.query(
      `update sms_messages set created = pb_text(now() - interval '1 hour') where "to" = $1`,
      [number],
    )
    const group = await makeGroup({ join_words: `JOIN${number.slice(1)}`, join_confirm: true })
    await hear(number, `JOIN${number.slice(1)}`)
    await until('the question', async () => (await textsTo(number)).length > 1)
    await prepare(number)
    await hear(number, 'YES')
    expect(await stateOf(number, group)).toBe(state)
  })

  test('YES that a phone received before the question, and reports again, does not confirm', async () => {
    const number = nextNumber()
    const group = await ask(number)
    await must(phone, 'POST', '/api/devices/incoming', {
      items: [{ from: number, body: 'YES', received_at: ago(30) }],
    })
    expect(await stateOf(number, group)).toBe('asked')
  })

  test('YES to a text whose id a client gave to an entry of its own does not confirm', async () => {
    const number = nextNumber()
    const group = await makeGroup({ join_confirm: true })
    const { message_ids } = await send(number, 'Your visit tomorrow? Reply YES')
    const entry = {
      id: message_ids[0],
      number,
      group,
      event: 'opt_in',
      source: 'page',
      shown: 'Offers',
    }
    await record('consents', entry)
    await hear(number, 'YES')
    expect(await stateOf(number, group)).toBe('asked')
  })

  test('YES to a question that was sent again, twice, confirms it', async () => {
    const number = nextNumber()
    const group = await ask(number)
    for (let time = 0; time < 2; time++) {
      const last = (await textsTo(number)).at(-1)
      await report(last, 'failed')
      await must(ann, 'POST', `/api/sms/messages/${last}/retry`, {})
    }
    expect(await textsTo(number)).toHaveLength(3)
    await hear(number, 'YES')
    expect(await stateOf(number, group)).toBe('given')
  })

  test('YES to a question that was asked twice within a minute confirms it', async () => {
    const number = nextNumber()
    const group = await ask(number)
    await hear(number, `JOIN${number.slice(1)}`)
    await hear(number, 'YES')
    expect(await stateOf(number, group)).toBe('given')
  })
})

test('an import takes the lock of sends before its first contact, so an incoming text cannot deadlock with it', async () => {
  const [plain, out] = [nextNumber(), nextNumber()]
  const requests = [{ phone: plain }, { phone: out, opted_out: true }].map((contact) => ({
    method: 'POST',
    url: path('contacts'),
    headers: { 'Consent-Source': 'import' },
    body: { user: ann.id, ...contact },
  }))
  const waits = `from pg_stat_activity a where a.wait_event_type = 'Lock' and a.query like '%sms_turns%'`
  const written = `select ${waits} and exists (select from pg_locks l
    where l.pid = a.pid and l.relation = 'contacts'::regclass and l.mode = 'RowExclusiveLock')`
  let imported: Promise<{ status: number }> | undefined
  await server.server.services.store.forEverybody('test').db.transaction(async (db) => {
    await lockUserSends(db, ann.id)
    imported = ann.call('POST', '/api/batch', { requests })
    await until('the import waits', async () => (await server.query(`select ${waits}`)).length > 0)
    expect(await server.query(written)).toEqual([])
  })
  expect((await imported!).status).toBe(200)
  expect(await contactOf(out)).toEqual([true, []])
})
