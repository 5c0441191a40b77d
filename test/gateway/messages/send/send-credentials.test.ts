import {
  ANN,
  as,
  BEN,
  CLEO,
  startServerWithUsers,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const { send, rows, signedIn } = server

// credentials are remembered for a while: each of these sends before they change, and after

test('a deleted API key gets 401, even for an invalid body', async () => {
  expect((await send({}, as(BEN))).status).toBe(200)
  await rows('delete from api_keys where "user" = $1', [BEN.id])
  expect((await send({}, as(BEN))).status).toBe(401)
  expect((await send({ recipients: ['x'] }, as(BEN))).status).toBe(401)
})

test('an API key that expired since its last use gets 401', async () => {
  await rows('update devices set "user" = $1 where "user" = $2', [CLEO.id, BEN.id])
  expect((await send({}, as(CLEO))).status).toBe(200)
  await rows(`update api_keys set expires_at = '2021-01-01 00:00:00.000Z' where "user" = $1`, [
    CLEO.id,
  ])
  expect((await send({}, as(CLEO))).status).toBe(401)
})

test("a token gets 401 after its user's tokenKey changed", async () => {
  const ann = await signedIn('users', ANN.id)
  expect((await send({}, ann)).status).toBe(200)
  await rows(`update users set "tokenKey" = "tokenKey" || 'x' where id = $1`, [ANN.id])
  expect((await send({}, ann)).status).toBe(401)
  expect((await send({}, as(ANN))).status).toBe(200)
})

test('tokens and keys stay valid while their records change otherwise', async () => {
  const ann = await signedIn('users', ANN.id)
  for (const name of ['A', 'B', 'C']) {
    await rows('update users set name = $2 where id = $1', [ANN.id, name])
    await rows('update api_keys set name = $2 where "user" = $1', [ANN.id, name])
    const answers = await Promise.all([send({}, ann), send({}, as(ANN)), send({ body: '' }, ann)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
  }
})

test('deleting a user deletes everything of the user, and concurrent sends fail', async () => {
  const root = await rows('select id from _superusers')
  const headers = await signedIn('_superusers', String(root[0]![0]))
  const ann = await signedIn('users', ANN.id)
  expect((await send({}, { ...ann, 'idempotency-key': 'k' })).status).toBe(200)
  const sends = Array.from({ length: 50 }, () => send({}, ann))
  const gone = await server.ask(
    'DELETE',
    `/api/collections/users/records/${ANN.id}`,
    undefined,
    headers,
  )
  expect(gone.status).toBe(204)
  for (const { status } of await Promise.all(sends)) expect([200, 401]).toContain(status)
  expect((await send({}, ann)).status).toBe(401)
  expect((await send({}, as(ANN))).status).toBe(401)
  for (const name of ['messages', 'dispatch', 'usage', 'turns', 'idempotency', 'events'])
    expect(await rows(`select 1 from sms_${name} where "user" = $1`, [ANN.id])).toEqual([])
})
