import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANN, as, BEN, CLEO, openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.stop())

// credentials are remembered for a while: each of these sends before they change, and after

test('a key that was deleted opens nothing, also not an error', async () => {
  expect((await shop.send({}, as(BEN))).status).toBe(200)
  await shop.rows('delete from api_keys where "user" = $1', [BEN.id])
  expect((await shop.send({}, as(BEN))).status).toBe(401)
  expect((await shop.send({ recipients: ['x'] }, as(BEN))).status).toBe(401)
})

test('a key that has expired since opens nothing', async () => {
  await shop.rows('update devices set "user" = $1 where "user" = $2', [CLEO.id, BEN.id])
  expect((await shop.send({}, as(CLEO))).status).toBe(200)
  await shop.rows(`update api_keys set expires_at = '2021-01-01 00:00:00.000Z' where "user" = $1`, [CLEO.id])
  expect((await shop.send({}, as(CLEO))).status).toBe(401)
})

test('a token whose key was changed opens nothing', async () => {
  const ann = await shop.signedIn('users', ANN.id)
  expect((await shop.send({}, ann)).status).toBe(200)
  await shop.rows(`update users set "tokenKey" = "tokenKey" || 'x' where id = $1`, [ANN.id])
  expect((await shop.send({}, ann)).status).toBe(401)
  expect((await shop.send({}, as(ANN))).status).toBe(200)
})

test('a record that merely changed is no reason to refuse', async () => {
  const ann = await shop.signedIn('users', ANN.id)
  for (const name of ['A', 'B', 'C']) {
    await shop.rows('update users set name = $2 where id = $1', [ANN.id, name])
    await shop.rows('update api_keys set name = $2 where "user" = $1', [ANN.id, name])
    const answers = await Promise.all([
      shop.send({}, ann),
      shop.send({}, as(ANN)),
      shop.send({ body: '' }, ann),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
  }
})

test('the use of a key is noted', async () => {
  await shop.send()
  await expect
    .poll(() => shop.rows('select last_used_at <> $2 from api_keys where id = $1', [ANN.id, '']))
    .toEqual([[true]])
})

test('a user who is deleted leaves nothing behind, and sends no more', async () => {
  const root = await shop.rows('select id from _superusers')
  const headers = await shop.signedIn('_superusers', String(root[0]![0]))
  const ann = await shop.signedIn('users', ANN.id)
  expect((await shop.send({}, { ...ann, 'idempotency-key': 'k' })).status).toBe(200)
  const sends = Array.from({ length: 50 }, () => shop.send({}, ann))
  const gone = await fetch(`${shop.url}/api/collections/users/records/${ANN.id}`, {
    method: 'DELETE',
    headers,
  })
  expect(gone.status).toBe(204)
  for (const { status } of await Promise.all(sends)) expect([200, 401]).toContain(status)
  expect((await shop.send({}, ann)).status).toBe(401)
  expect((await shop.send({}, as(ANN))).status).toBe(401)
  for (const table of [
    'sms_messages',
    'sms_dispatch',
    'sms_usage',
    'sms_turns',
    'sms_idempotency',
    'sms_events',
  ])
    expect([table, await shop.rows(`select count(*) from ${table} where "user" = $1`, [ANN.id])]).toEqual([
      table,
      [[0]],
    ])
})
