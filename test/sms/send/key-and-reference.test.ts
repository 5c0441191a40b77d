import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANN, type ServerWithUsers, startServerWithUsers } from '../../support/server/server-with-users.ts'

let server: ServerWithUsers
beforeAll(async () => {
  server = await startServerWithUsers()
})
afterAll(() => server.stop())

const send = (idempotencyKey: string, body: object) =>
  server.send(body, { 'x-api-key': ANN.key, 'idempotency-key': idempotencyKey })

test('a key stands for its request, also when the reference in it has its message already', async () => {
  const first = await server.send({ client_ref: 'order-1' })
  const known = await send('key-1', { client_ref: 'order-1' })
  expect(known.body).toEqual(first.body)
  expect(known.headers.has('idempotent-replayed')).toBe(false)
  const again = await send('key-1', { client_ref: 'order-1' })
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await send('key-1', { client_ref: 'order-2' })
  expect([other.status, other.body.error]).toEqual([422, 'idempotency_key_reused'])
})

test('a key of yesterday stands for the request of today', async () => {
  await server.send({ client_ref: 'order-3' })
  await send('key-2', { body: 'yesterday' })
  await server.rows(`update sms_idempotency set created = now() - interval '25 hours' where key = 'key-2'`)
  const known = await send('key-2', { client_ref: 'order-3' })
  expect(known.status).toBe(200)
  expect((await send('key-2', { body: 'yesterday' })).status).toBe(422)
  expect((await send('key-2', { client_ref: 'order-3' })).body).toEqual(known.body)
})

test('a refused request leaves its key free', async () => {
  const refused = await send('key-3', { device_id: 'nosuchdevice000' })
  expect(refused.status).toBe(404)
  expect((await send('key-3', {})).status).toBe(200)
})

test('a page of another origin sees that an answer is an earlier one', async () => {
  const first = await send('key-4', {})
  const again = await send('key-4', {})
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('access-control-expose-headers')).toBe('Idempotent-Replayed')
})
