import { openSendFixture } from '../../../support/database/send-fixture.ts'
import {
  ANN,
  as,
  BEN,
  CLEO,
  GROUPS,
  startServerWithUsers,
  TEMPLATES,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers()

const withKey = (key: string, who = ANN) => ({ ...as(who), 'idempotency-key': key })
const stored = async () => Number((await server.rows('select count(*) from sms_messages'))[0]![0])

test('the same Idempotency-Key returns the first answer again and stores no second message', async () => {
  const first = await server.send({ recipients: ['+4911111', '+4922222'] }, withKey('a'))
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const count = await stored()
  const again = await server.send({ recipients: ['+4911111', '+4922222'] }, withKey('a'))
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await stored()).toBe(count)
})

test('a repeated body may order its keys differently, but any other difference is refused', async () => {
  const body = { recipients: ['+4911111'], body: 'Hi', priority: 1 }
  const first = await server.ask('POST', 'send', body, withKey('b'))
  const turned = { priority: 1, body: 'Hi', recipients: ['+4911111'] }
  expect((await server.ask('POST', 'send', turned, withKey('b'))).body).toEqual(first.body)
  const message = 'This Idempotency-Key was used for another request'
  for (const other of [{ body: 'Ho' }, { priority: 2 }, { recipients: ['+4922222'] }]) {
    const answer = await server.ask('POST', 'send', { ...body, ...other }, withKey('b'))
    expect([answer.status, answer.body]).toEqual([
      422,
      { error: 'idempotency_key_reused', message },
    ])
  }
})

test('a request that is repeated after its expiry returns the first answer', async () => {
  const body = { body: 'Hi', expires_at: new Date(Date.now() + 1_500).toISOString() }
  const first = await server.send(body, withKey('late'))
  expect(first.status).toBe(200)
  const expired = () => Date.now() > Date.parse(body.expires_at)
  await expect.poll(expired, { timeout: 5_000 }).toBe(true)
  const again = await server.send(body, withKey('late'))
  expect([again.status, again.body]).toEqual([200, first.body])
  expect((await server.send(body, withKey('later'))).status).toBe(400)
})

test('two users may use the same Idempotency-Key', async () => {
  const ann = await server.send({}, withKey('c'))
  const ben = await server.send({}, withKey('c', BEN))
  expect(ben.headers.get('idempotent-replayed')).toBeNull()
  expect(ben.body.message_ids).not.toEqual(ann.body.message_ids)
})

test('a refused request leaves its key unused', async () => {
  expect((await server.send({}, withKey('d', CLEO))).status).toBe(503)
  await server.rows('update devices set "user" = $1 where "user" = $2', [CLEO.id, BEN.id])
  expect((await server.send({}, withKey('d', CLEO))).status).toBe(200)
})

test('a key can be used for a new request after a day', async () => {
  const first = await server.send({}, withKey('e'))
  await server.rows(
    `update sms_idempotency set created = now() - interval '25 hours' where key = 'e'`,
  )
  const next = await server.send({}, withKey('e'))
  expect(next.status).toBe(200)
  expect(next.body.message_ids).not.toEqual(first.body.message_ids)
  expect((await server.send({}, withKey('e'))).body).toEqual(next.body)
})

test('200 concurrent requests with one key store one batch and get the same answer', async () => {
  const before = await stored()
  const answers = await Promise.all(
    Array.from({ length: 200 }, () =>
      server.send({ recipients: ['+4911111', '+4922222'] }, withKey('f')),
    ),
  )
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.batch_id}`)).size).toBe(1)
  expect(await stored()).toBe(before + 2)
})

test.each([
  ['empty', ''],
  ['too long', 'k'.repeat(256)],
])('an Idempotency-Key that is %s is refused', async (_, key) => {
  const answer = await server.send({}, withKey(key))
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
})

test('two users may use the same client_ref', async () => {
  const ann = await server.send({ client_ref: 'order 3' })
  const cleo = await server.send({ client_ref: 'order 3' }, as(CLEO))
  expect(cleo.body.message_ids).not.toEqual(ann.body.message_ids)
})

const send = (key: string, body: object) => server.send(body, withKey(key))

test('a key is stored for its request even when the client_ref already has a message', async () => {
  const first = await server.send({ client_ref: 'ref-1' })
  const known = await send('key-1', { client_ref: 'ref-1' })
  expect(known.body).toEqual(first.body)
  expect(known.headers.has('idempotent-replayed')).toBe(false)
  const again = await send('key-1', { client_ref: 'ref-1' })
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await send('key-1', { client_ref: 'ref-2' })
  expect([other.status, other.body.error]).toEqual([422, 'idempotency_key_reused'])
})

test("a key older than a day is stored for today's request", async () => {
  await server.send({ client_ref: 'ref-3' })
  await send('key-2', { body: 'yesterday' })
  await server.rows(
    `update sms_idempotency set created = now() - interval '25 hours' where key = 'key-2'`,
  )
  const known = await send('key-2', { client_ref: 'ref-3' })
  expect(known.status).toBe(200)
  expect((await send('key-2', { body: 'yesterday' })).status).toBe(422)
  expect((await send('key-2', { client_ref: 'ref-3' })).body).toEqual(known.body)
})

let count = 0
const newRef = () => `order ${++count}`
const REUSED = {
  error: 'client_ref_reused',
  message:
    'This client_ref was used for a message to another number, with another text or with other files',
}

test.each([
  ['another text', { body: 'Something else' }],
  ['another number', { recipients: ['+4911112'] }],
  ['a text that begins with a byte order mark', { body: '\ufeffHi' }],
])(
  'a send of %s with a client_ref already used is refused and leaves its key unused',
  async (_, other) => {
    const client_ref = newRef()
    const first = await server.send({ client_ref })
    const before = await stored()
    const headers = { 'x-api-key': ANN.key, 'idempotency-key': client_ref }
    const answer = await server.send({ client_ref, ...other }, headers)
    expect([answer.status, answer.body]).toEqual([422, REUSED])
    expect(await stored()).toBe(before)
    expect((await server.send({ client_ref }, headers)).body).toEqual(first.body)
  },
)

test('a body that begins with a byte order mark equals itself', async () => {
  const body = { client_ref: newRef(), body: '\ufeffHi' }
  const first = await server.send(body)
  expect((await server.send(body)).body).toEqual(first.body)
})

test('a template counts as its rendered text and a group as its members', async () => {
  const client_ref = newRef()
  const template = {
    recipients: [],
    group_ids: [GROUPS.left],
    template_id: TEMPLATES.greeting,
    client_ref,
  }
  const first = await server.ask('POST', 'send-template', template)
  expect(first.status).toBe(200)
  expect((await server.ask('POST', 'send-template', template)).body).toEqual(first.body)
  const same = { recipients: ['+4900003'], body: 'Hello Abe!', client_ref }
  expect((await server.send(same)).body).toEqual(first.body)
  await server.rows(`update contacts set name = 'Eve' where phone = '+4900003'`)
  expect((await server.ask('POST', 'send-template', template)).body).toEqual(REUSED)
})

describe('a repeated client_ref gets the first answer', () => {
  test('a repeated client_ref gets the first answer, with its new time, after the text was changed', async () => {
    const body = { client_ref: newRef(), scheduled_at: '2099-01-01 08:00:00Z' }
    const first = await server.send(body)
    const path = `messages/${first.body.message_ids[0]}`
    expect((await server.ask('PATCH', path, { scheduled_at: '2099-01-01 09:00:00Z' })).status).toBe(
      200,
    )
    expect((await server.send({ ...body, body: 'Another' })).body).toEqual(REUSED)
    expect((await server.ask('PATCH', path, { body: 'Changed' })).status).toBe(200)
    const moved = { ...first.body, scheduled_at: '2099-01-01 09:00:00.000Z' }
    expect((await server.send(body)).body).toEqual(moved)
    expect((await server.send({ ...body, recipients: ['+4911112'] })).body).toEqual(REUSED)
  })

  test.each([
    ['its text was deleted', `body = ''`],
    ['its text and number were deleted', `body = '', "to" = ''`],
  ])('a repeated client_ref gets the first answer when %s', async (_, blank) => {
    const body = { client_ref: newRef() }
    const first = await server.send(body)
    await server.rows(`update sms_messages set ${blank} where id = $1`, [first.body.message_ids[0]])
    expect((await server.send(body)).body).toEqual(first.body)
  })
})

test.each(['retry:', 'auto:', 'phone:'])(
  'a send is refused if its client_ref begins with %s',
  async (kind) => {
    const { status, body } = await server.send({ client_ref: `${kind}abc` })
    expect(status).toBe(400)
    expect(body.message).toBe('client_ref must not begin with retry:, auto: or phone:')
  },
)

test('of 40 concurrent sends with one client_ref and two texts, one text is sent and the other refused', async () => {
  const client_ref = newRef()
  const before = await stored()
  const texts = Array.from({ length: 40 }, (_, i) => (i % 2 ? 'one' : 'two'))
  const answers = await Promise.all(texts.map((body) => server.send({ client_ref, body })))
  const sent = await server.rows('select body from sms_messages where client_ref = $1', [
    client_ref,
  ])
  for (const [i, { status }] of answers.entries())
    expect(status).toBe(texts[i] === sent[0]![0] ? 200 : 422)
  expect(await stored()).toBe(before + 1)
})

test('of concurrent sends on two nodes with one client_ref and two texts, one text is sent', async () => {
  const fixture = await openSendFixture(2)
  const nodes = [fixture.node(), fixture.node()] as const
  const send = (i: number) =>
    nodes[(i % 2) as 0 | 1]({ client_ref: 'order', body: `text ${i % 2}` })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i)))
  const { rows } = await fixture.db.query('select body from sms_messages')
  expect(rows).toHaveLength(1)
  const winner = rows[0]![0] === 'text 0' ? 0 : 1
  expect(answers).toEqual(
    answers.map((_, i) => (i % 2 === winner ? 'accepted' : 'client_ref_reused')),
  )
})
