import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()

/** Adds devices with two SIMs to an account, straight in the table. */
const addDevices = (user: string, count: number) =>
  server.query(
    `insert into devices (id, password, "tokenKey", "user", name, sims, created, updated)
    select pb_new_id(), 'none', pb_new_id() || pb_new_id() || pb_new_id(), $1, 'phone', '[{"slot":1},{"slot":2}]',
      pb_text(now()), pb_text(now())
    from generate_series(1, $2)`,
    [user, count],
  )

test('an account has at most 100 devices, however they join', async () => {
  const user = await server.makeUser()
  await addDevices(user.id, 99)
  const { id } = await server.pair(user)
  const { code } = await must(user, 'POST', '/api/devices/pairing', {})
  const join = () => server.guest.call('POST', '/api/devices/pair', { code, platform: 'android' })
  const message = 'An account has at most 100 devices'
  expect(await join()).toEqual({ status: 400, body: { error: 'invalid_request', message } })
  const account = { preset: 'twilio', user: 'AC1', senders: ['+15005550006'] }
  expect(await user.call('POST', '/api/devices/carriers', { account })).toMatchObject({
    status: 400,
    body: { message },
  })
  await must(user, 'DELETE', `/api/collections/devices/records/${id}`)
  expect((await join()).status).toBe(200)
})

test('at most 100 lines of an account have prices', async () => {
  const user = await server.makeUser()
  await addDevices(user.id, 51)
  const lines = (
    await server.query('select id from lines where "user" = $1 order by id', [user.id])
  ).flat()
  await server.query(`update lines set prices = '{"default":"0.09"}' where id = any($1)`, [
    lines.slice(0, 100),
  ])
  const price = (line: unknown, prices: object | null) =>
    user.call('PATCH', `/api/collections/lines/records/${line}`, { prices })
  const prices = { default: '0.08' }
  expect(await price(lines[100], prices)).toMatchObject({
    status: 400,
    body: { data: { prices: {} } },
  })
  expect((await price(lines[0], prices)).status).toBe(200)
  expect((await price(lines[0], null)).status).toBe(200)
  expect((await price(lines[100], prices)).status).toBe(200)
})
