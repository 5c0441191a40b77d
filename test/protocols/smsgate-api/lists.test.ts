import { findAuthRecord } from '../../../src/engine/auth/find-auth-record.ts'
import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import { formatDate } from '../../../src/engine/fields/parse-date.ts'
import { INBOX_QUERY, listInbox } from '../../../src/protocols/smsgate-api/list-inbox.ts'
import { LIST_QUERY, listMessages } from '../../../src/protocols/smsgate-api/list-messages.ts'
import { recordPlans } from '../../support/database/plans.ts'
import { ANN, BEN, BENS_PHONE, CLEO, PHONES } from '../../support/server/server-with-users.ts'
import { startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

const fixture = await startSmsgateApiFixture()
const { ask, server, ben } = fixture

const at = (i: number) => formatDate(new Date(Date.UTC(2026, 0, 1, 0, i)))
const iso = (i: number) => new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString()
const STATUSES = ['delivered', 'failed', 'sent', 'sending', 'assigned', 'canceled']

/** Sends of Ann, a minute apart, the i-th to one number with the i-th status; and one of Ben. */
async function addSends(count: number) {
  const add = `with m as (
    insert into sms_messages (id, "user", status, error_message, message_type, "to", body, device, created, updated)
    values ($1, $2, $3, $4, 'outgoing', $5, $6, $7, $8, $8) returning id, "user", created
  ) insert into sms_origins ("user", api, id, ref, is_batch, created) select "user", 'smsgate', 'send ' || id, id, false, created from m`
  for (let i = 0; i < count; i++) {
    const status = STATUSES[i % STATUSES.length]!
    const [stored, error] =
      status === 'canceled'
        ? ['failed', 'Canceled']
        : [status, status === 'failed' ? 'No signal' : '']
    const id = `sent${String(i).padStart(11, '0')}`
    await server.rows(add, [
      id,
      ANN.id,
      stored,
      error,
      `+4911${i}`,
      `Text ${i}`,
      PHONES[i % 2],
      at(i),
    ])
  }
  await server.rows(add, [
    'bens00000000000',
    BEN.id,
    'sent',
    '',
    '+4911190',
    'Ben',
    BENS_PHONE,
    at(1),
  ])
}

async function addIncoming() {
  const add = `insert into sms_messages (id, "user", status, message_type, "from", "to", body, device, sim, delivered_at, created, updated)
    values ($1, $2, 'received', 'incoming', $3, $4, $5, $6, $7, $8, $8, $8)`
  const rows = [
    ['in0000000000001', ANN.id, '+4922200', '+4911100', 'First', PHONES[0], 1, at(1)],
    [
      'in0000000000002',
      ANN.id,
      'BANK',
      '',
      'data:application/octet-stream;base64,AAEC',
      PHONES[1],
      0,
      at(2),
    ],
    ['in0000000000003', ANN.id, '+4922300', '', 'Third', PHONES[0], 2, at(3)],
    ['in0000000000004', BEN.id, '+4922400', '', 'For Ben', BENS_PHONE, 0, at(2)],
  ]
  for (const row of rows) await server.rows(add, row)
}

await addSends(6)
await addIncoming()

async function list(path: string, headers = fixture.ann) {
  const answer = await ask('GET', path, undefined, headers)
  expect(answer.status).toBe(200)
  return { total: Number(answer.headers.get('x-total-count')), items: answer.body }
}
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => Number(id.slice(-2)))

describe('the list of sends', () => {
  const sends = async (query: string) => {
    const { total, items } = await list(`/messages${query}`)
    return [total, ids(items)]
  }

  test('the list of sends has the newest first, as states without texts', async () => {
    const { total, items } = await list('/messages')
    expect([total, ids(items)]).toEqual([6, [5, 4, 3, 2, 1, 0]])
    const states = ['Cancelled', 'Pending', 'Processed', 'Sent', 'Failed', 'Delivered']
    expect(items.map(({ state }: { state: string }) => state)).toEqual(states)
    expect(items[4]).toEqual({
      id: 'send sent00000000001',
      deviceId: PHONES[1],
      state: 'Failed',
      isHashed: false,
      isEncrypted: false,
      recipients: [{ phoneNumber: '+49111', state: 'Failed', error: 'No signal' }],
      states: { Pending: iso(1), Failed: iso(1) },
      createdAt: iso(1),
    })
  })

  test.each<[query: string, total: number, found: number[]]>([
    ['?sort=created_at', 6, [0, 1, 2, 3, 4, 5]],
    ['?sort=-created_at&limit=2&offset=1', 6, [4, 3]],
    ['?limit=0', 6, [5, 4, 3, 2, 1, 0]],
    ['?limit=1000&offset=-3', 6, [5, 4, 3, 2, 1, 0]],
    ['?offset=100', 6, []],
    [`?from=${iso(2)}&to=${iso(4)}`, 2, [3, 2]],
    [`?from=${iso(2).replace('Z', '%2B00:00')}`, 4, [5, 4, 3, 2]],
    ['?from=2026-01-01T01:02:00+01:00', 4, [5, 4, 3, 2]],
    ['?state=Sent', 1, [2]],
    ['?state=Cancelling', 0, []],
    [`?deviceId=${PHONES[0]}`, 3, [4, 2, 0]],
    [`?deviceId=${PHONES[0]}&state=Sent&limit=1`, 1, [2]],
    [`?deviceId=${BENS_PHONE}`, 0, []],
    ['?unknown=1&includeContent=', 6, [5, 4, 3, 2, 1, 0]],
  ])(
    'the list of sends with the query "%s" has %i sends and shows $2',
    async (query, total, found) => expect(await sends(query)).toEqual([total, found]),
  )

  test('the list of sends includes texts with includeContent', async () => {
    const { items } = await list('/messages?includeContent=true&limit=1')
    expect(items[0].textMessage).toEqual({ text: 'Text 5' })
  })

  test.each([
    ['from=yesterday', /^from/],
    ['to=2026-01-01', /^to/],
    ['deviceId=1234567890123456789012', /^deviceId/],
    ['limit=ten', /^limit/],
    ['sort=id', /^sort/],
    ['includeContent=perhaps', /^includeContent/],
  ])('the list of sends refuses the query %s', async (query, message) => {
    const answer = await ask('GET', `/messages?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
  })

  test("the list of sends contains only the caller's sends", async () => {
    const bens = { total: 1, items: [{ id: 'send bens00000000000' }] }
    expect(await list('/messages', ben)).toMatchObject(bens)
    expect(await list('/messages', fixture.cleo)).toEqual({ total: 0, items: [] })
  })

  test('the list of sends excludes messages sent by other APIs', async () => {
    expect((await server.send({}, { 'x-api-key': ANN.key })).status).toBe(200)
    expect((await list('/messages')).total).toBe(6)
  })
})

describe('the list of incoming texts', () => {
  test('the list of incoming texts has all fields of each text, the newest text first', async () => {
    const item = (n: number, type: string, sender: string, contentPreview: string) => {
      return { id: `in000000000000${n}`, type, sender, contentPreview, createdAt: iso(n) }
    }
    const items = [
      { ...item(3, 'SMS', '+4922300', 'Third'), simNumber: 2 },
      item(2, 'DATA_SMS', 'BANK', 'data:application/octet-stream;base64,AAEC'),
      { ...item(1, 'SMS', '+4922200', 'First'), recipient: '+4911100', simNumber: 1 },
    ]
    expect(await list('/inbox')).toEqual({ total: 3, items })
  })

  test.each<[query: string, total: number, found: number[]]>([
    ['?limit=1&offset=1', 3, [2]],
    ['?limit=500', 3, [3, 2, 1]],
    ['?type=SMS', 2, [3, 1]],
    ['?type=DATA_SMS', 1, [2]],
    ['?type=MMS', 0, []],
    ['?type=MMS_DOWNLOADED', 0, []],
    [`?from=${iso(2)}&to=${iso(3)}`, 1, [2]],
    [`?deviceId=${PHONES[0]}`, 2, [3, 1]],
    [`?deviceId=${BENS_PHONE}`, 0, []],
    ['?includeAttachments=true', 3, [3, 2, 1]],
  ])(
    'the list of incoming texts with the query "%s" has %i texts and shows $2',
    async (query, total, found) => {
      const page = await list(`/inbox${query}`)
      expect([page.total, ids(page.items)]).toEqual([total, found])
    },
  )

  test.each(['limit=0', 'offset=-1', 'type=EMAIL', `from=${iso(3)}&to=${iso(2)}`, 'deviceId=%00'])(
    'the list of incoming texts refuses the query %s',
    async (query) => {
      expect(await ask('GET', `/inbox?${query}`)).toMatchObject({
        status: 400,
        body: { message: expect.any(String) },
      })
    },
  )
})

describe('the list of devices', () => {
  test("the list of devices has all of the caller's devices, disabled ones too", async () => {
    await server.rows(
      `update devices set enabled = false, last_seen = '', sims = '[{"slot":1,"number":"+4911100","carrier":"C"},{"slot":"x"},null]' where id = $1`,
      [PHONES[1]],
    )
    const { status, body } = await ask('GET', '/device')
    expect(status).toBe(200)
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const one = (id: string, simCards: unknown[]) => ({
      id,
      name: id,
      createdAt: date,
      updatedAt: date,
      lastSeen: date,
      simCards,
    })
    const sims = [{ slotIndex: 0, simNumber: 1, phoneNumber: '+4911100', carrierName: 'C' }]
    expect(body).toEqual([one(PHONES[0], []), one(PHONES[1], sims)])
    expect(body[1].lastSeen).toBe(body[1].createdAt)
  })

  test('the list of devices omits malformed SIM data of a device', async () => {
    for (const sims of [
      '{"slot":1}',
      '"text"',
      '[{"slot":1,"number":7,"carrier":{"a":1}}]',
      '[[],3,{"slot":1.5}]',
    ]) {
      await server.rows('update devices set sims = $2 where id = $1', [PHONES[1], sims])
      const { status, body } = await ask('GET', '/devices')
      expect(status).toBe(200)
      for (const sim of body[1].simCards)
        for (const key of ['phoneNumber', 'carrierName'])
          expect(['string', 'undefined']).toContain(typeof sim[key])
    }
  })

  test('the list of devices lets a user delete a device of their own once', async () => {
    const path = `/devices/${BENS_PHONE}`
    expect((await ask('DELETE', path)).status).toBe(404)
    const { status, body } = await ask('DELETE', path, undefined, ben)
    expect([status, body]).toEqual([204, ''])
    expect((await ask('DELETE', path, undefined, ben)).status).toBe(404)
    expect((await ask('GET', '/devices', undefined, ben)).body).toEqual([])
  })
})

test('pages among many rows are read by their indexes', async () => {
  const { store, rows } = server
  // in parts: on a busy machine one statement would take too long
  const parts = [
    [BEN.id, 1, 500],
    ...[1, 2_001, 4_001, 6_001, 8_001].map((first) => [CLEO.id, first, 2_000]),
  ]
  for (const part of parts) {
    await rows(
      `with m as (
        insert into sms_messages (id, "user", status, message_type, "to", body, created, updated)
        select left($1, 4) || lpad(i::text, 11, '0'), $1, 'sent', 'outgoing', '+4911100', 'x',
          pb_text(now() - i * interval '1 minute'), pb_text(now())
        from generate_series($2::int, $2 + $3 - 1) i returning id, "user", created
      ) insert into sms_origins ("user", api, id, ref, is_batch, created) select "user", 'smsgate', id, id, false, created from m`,
      part,
    )
    await rows(
      `insert into sms_messages (id, "user", status, message_type, "from", body, delivered_at, created, updated)
      select 'i' || left($1, 3) || lpad(i::text, 11, '0'), $1, 'received', 'incoming', '+4911100', 'x',
        pb_text(now() - i * interval '1 minute'), pb_text(now()), pb_text(now())
      from generate_series($2::int, $2 + $3 - 1) i`,
      part,
    )
  }
  await rows(
    `insert into sms_events (id, "user", message, status, created)
    select pb_new_id(), m."user", m.id, 'sent', m.created from sms_messages m where m.id like 'ben%' or m.id like 'cleo%'`,
  )
  await rows('analyze')
  const { db, plans } = recordPlans(store.db)
  const auth = await findAuthRecord(store, store.catalog.find('users') as AuthCollection, BEN.id)
  const watched = { db, catalog: store.catalog }
  const caller = { store: watched, user: BEN.id, auth: auth!, services: server.services }
  expect((await listMessages(caller, LIST_QUERY.parse({}))).total).toBe(501)
  const sent = LIST_QUERY.parse({ state: 'Sent', limit: '5' })
  expect((await listMessages(caller, sent)).total).toBe(501)
  const sends = plans.length
  for (const asked of [{}, { offset: '50' }, { type: 'SMS' }, { from: iso(1) }])
    expect((await listInbox(caller, INBOX_QUERY.parse(asked))).total).toBe(501)
  for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (sms|smsgate)_/)
  for (const plan of plans.slice(sends)) expect(plan).toMatch(/sms_messages_incoming/)
})
