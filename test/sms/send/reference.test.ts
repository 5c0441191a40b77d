import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSendFixture } from '../../support/database/send-fixture.ts'
import {
  ANN,
  GROUPS,
  type ServerWithUsers,
  startServerWithUsers,
  TEMPLATES,
} from '../../support/server/server-with-users.ts'

let server: ServerWithUsers
beforeAll(async () => {
  server = await startServerWithUsers()
})
afterAll(() => server.stop())

let count = 0
const newRef = () => `order ${++count}`
const stored = async () => Number((await server.rows('select count(*) from sms_messages'))[0]![0])
const REUSED = {
  error: 'client_ref_reused',
  message: 'This client_ref was used for a message to another number or with another text',
}

test.each([
  ['another text', { body: 'Something else' }],
  ['another number', { recipients: ['+4911112'] }],
  ['a text that begins with a byte order mark', { body: '\ufeffHi' }],
])('%s with the same client_ref is refused, and its key stays free', async (_, other) => {
  const client_ref = newRef()
  const first = await server.send({ client_ref })
  const before = await stored()
  const headers = { 'x-api-key': ANN.key, 'idempotency-key': client_ref }
  const answer = await server.send({ client_ref, ...other }, headers)
  expect([answer.status, answer.body]).toEqual([422, REUSED])
  expect(await stored()).toBe(before)
  expect((await server.send({ client_ref }, headers)).body).toEqual(first.body)
})

test('a byte order mark at the beginning is no difference to itself', async () => {
  const body = { client_ref: newRef(), body: '\ufeffHi' }
  const first = await server.send(body)
  expect((await server.send(body)).body).toEqual(first.body)
})

test('a template counts as its text, a group as who is in it', async () => {
  const client_ref = newRef()
  const template = { recipients: [], group_ids: [GROUPS.left], template_id: TEMPLATES.greeting, client_ref }
  const first = await server.ask('POST', 'send-template', template)
  expect(first.status).toBe(200)
  expect((await server.ask('POST', 'send-template', template)).body).toEqual(first.body)
  const same = { recipients: ['+4900003'], body: 'Hello Abe!', client_ref }
  expect((await server.send(same)).body).toEqual(first.body)
  await server.rows(`update contacts set name = 'Eve' where phone = '+4900003'`)
  expect((await server.ask('POST', 'send-template', template)).body).toEqual(REUSED)
})

describe('the send is still the same', () => {
  test('when its text was changed since', async () => {
    const body = { client_ref: newRef(), scheduled_at: '2099-01-01 08:00:00Z' }
    const first = await server.send(body)
    const path = `messages/${first.body.message_ids[0]}`
    expect((await server.ask('PATCH', path, { scheduled_at: '2099-01-01 09:00:00Z' })).status).toBe(200)
    expect((await server.send({ ...body, body: 'Another' })).body).toEqual(REUSED)
    expect((await server.ask('PATCH', path, { body: 'Changed' })).status).toBe(200)
    expect((await server.send(body)).body).toEqual(first.body)
    expect((await server.send({ ...body, recipients: ['+4911112'] })).body).toEqual(REUSED)
  })

  test.each([
    ['its text is no longer kept', `body = ''`],
    ['nor its number', `body = '', "to" = ''`],
  ])('when %s', async (_, blank) => {
    const body = { client_ref: newRef() }
    const first = await server.send(body)
    await server.rows(`update sms_messages set ${blank} where id = $1`, [first.body.message_ids[0]])
    expect((await server.send(body)).body).toEqual(first.body)
  })
})

test('a message is not sent again as one that somebody else made of its reference', async () => {
  const { body } = await server.send({ scheduled_at: '2099-01-01 08:00:00Z' })
  const [id] = body.message_ids as [string]
  await server.ask('POST', `messages/${id}/cancel`)
  await server.send({ client_ref: `retry:${id}`, body: 'Not the same' })
  expect((await server.ask('POST', `messages/${id}/retry`)).body).toEqual(REUSED)
})

test('at once, with two texts: one of them is sent, whoever asks for the other is told', async () => {
  const client_ref = newRef()
  const before = await stored()
  const texts = Array.from({ length: 40 }, (_, i) => (i % 2 ? 'one' : 'two'))
  const answers = await Promise.all(texts.map((body) => server.send({ client_ref, body })))
  const [winner] = (
    await server.rows('select body from sms_messages where client_ref = $1', [client_ref])
  )[0]!
  for (const [i, { status }] of answers.entries()) expect(status).toBe(texts[i] === winner ? 200 : 422)
  expect(await stored()).toBe(before + 1)
})

test('the same over two nodes', async () => {
  const fixture = await openSendFixture(2)
  const nodes = [fixture.node(), fixture.node()] as const
  const send = (i: number) => nodes[(i % 2) as 0 | 1]({ client_ref: 'order', body: `text ${i % 2}` })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i)))
  const { rows } = await fixture.db.query('select body from sms_messages')
  expect(rows).toHaveLength(1)
  const winner = rows[0]![0] === 'text 0' ? 0 : 1
  expect(answers).toEqual(answers.map((_, i) => (i % 2 === winner ? 'accepted' : 'client_ref_reused')))
  await fixture.stop()
})
