import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ANN,
  as,
  BEN,
  CLEO,
  type ServerWithUsers,
  startServerWithUsers,
} from '../../support/server/server-with-users.ts'

let server: ServerWithUsers
beforeAll(async () => {
  server = await startServerWithUsers()
})
afterAll(() => server.stop())

const withKey = (key: string, who = ANN) => ({ ...as(who), 'idempotency-key': key })
const stored = async () => Number((await server.rows('select count(*) from sms_messages'))[0]![0])

test('the same key: the first answer again', async () => {
  const first = await server.send({ recipients: ['+4911111', '+4922222'] }, withKey('a'))
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const count = await stored()
  const again = await server.send({ recipients: ['+4911111', '+4922222'] }, withKey('a'))
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await stored()).toBe(count)
})

test('the order of keys in the body does not matter, all else does', async () => {
  const body = { recipients: ['+4911111'], body: 'Hi', priority: 1 }
  const first = await server.ask('POST', 'send', body, withKey('b'))
  const turned = { priority: 1, body: 'Hi', recipients: ['+4911111'] }
  expect((await server.ask('POST', 'send', turned, withKey('b'))).body).toEqual(first.body)
  for (const other of [
    { ...body, body: 'Ho' },
    { ...body, priority: 2 },
    { ...body, recipients: ['+4922222'] },
  ]) {
    const answer = await server.ask('POST', 'send', other, withKey('b'))
    expect([answer.status, answer.body]).toEqual([
      422,
      { error: 'idempotency_key_reused', message: 'This Idempotency-Key was used for another request' },
    ])
  }
})

test('a key is of its user', async () => {
  const ann = await server.send({}, withKey('c'))
  const ben = await server.send({}, withKey('c', BEN))
  expect(ben.headers.get('idempotent-replayed')).toBeNull()
  expect(ben.body.message_ids).not.toEqual(ann.body.message_ids)
})

test('a refused request uses no key up', async () => {
  expect((await server.send({}, withKey('d', CLEO))).status).toBe(503)
  await server.rows('update devices set "user" = $1 where "user" = $2', [CLEO.id, BEN.id])
  expect((await server.send({}, withKey('d', CLEO))).status).toBe(200)
})

test('after a day a key is new', async () => {
  const first = await server.send({}, withKey('e'))
  await server.rows(`update sms_idempotency set created = now() - interval '25 hours' where key = 'e'`)
  const next = await server.send({}, withKey('e'))
  expect(next.status).toBe(200)
  expect(next.body.message_ids).not.toEqual(first.body.message_ids)
  expect((await server.send({}, withKey('e'))).body).toEqual(next.body)
})

test('200 parallel posts with one key: one batch, others wait for it or are told that it runs', async () => {
  const before = await stored()
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => server.send({ recipients: ['+4911111', '+4922222'] }, withKey('f'))),
  )
  const fine = answers.filter(({ status }) => status === 200)
  expect(fine.length).toBeGreaterThan(0)
  expect(new Set(fine.map(({ body }) => body.batch_id)).size).toBe(1)
  for (const { status, body } of answers)
    if (status !== 200) expect([status, body.error]).toEqual([409, 'idempotency_key_in_use'])
  expect(await stored()).toBe(before + 2)
})

test.each([
  ['empty', ''],
  ['too long', 'k'.repeat(256)],
])('a key that is %s is refused', async (_, key) => {
  const answer = await server.send({}, withKey(key))
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
})

test('the same client_ref: the first message, for ever', async () => {
  const first = await server.send({ client_ref: 'order 1' })
  const count = await stored()
  const again = await server.send({ client_ref: 'order 1', priority: 5, ttl: 60 })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(await stored()).toBe(count)
})

test('many at once with the same client_ref: one message', async () => {
  const before = await stored()
  const answers = await Promise.all(Array.from({ length: 50 }, () => server.send({ client_ref: 'order 2' })))
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(new Set(answers.map(({ body }) => body.message_ids[0])).size).toBe(1)
  expect(await stored()).toBe(before + 1)
})

test('a client_ref is of its user', async () => {
  const ann = await server.send({ client_ref: 'order 3' })
  const cleo = await server.send({ client_ref: 'order 3' }, as(CLEO))
  expect(cleo.body.message_ids).not.toEqual(ann.body.message_ids)
})
