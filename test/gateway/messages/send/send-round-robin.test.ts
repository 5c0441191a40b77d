import {
  BENS_PHONE,
  PHONES,
  startServerWithUsers,
} from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const { rows } = server

const many = (count: number) => Array.from({ length: count }, (_, i) => `+49${10_000 + i}`)
const devicesOf = async (batch: string) =>
  (await rows('select device from sms_messages where batch_id = $1 order by _rowid', [batch])).map(
    ([id]) => id,
  )

test.each([
  ['disabled', 'enabled = false'],
  ['offline for too long', `last_seen = '2020-01-01 00:00:00.000Z'`],
  ['never seen', `last_seen = ''`],
] as const)('a device that is %s gets no message', async (_, change) => {
  await rows(`update devices set ${change} where id = $1`, [PHONES[0]])
  const { body } = await server.send({ recipients: many(3) })
  expect(await devicesOf(body.batch_id)).toEqual([PHONES[1], PHONES[1], PHONES[1]])
  await rows(
    `update devices set enabled = true, last_seen = '2099-01-01 00:00:00.000Z' where id = $1`,
    [PHONES[0]],
  )
})

test.each([
  ['per_minute', 5, '30 seconds'],
  ['daily_limit', 5, '20 hours'],
] as const)('a device that has reached its %s gets no message', async (limit, most, ago) => {
  await rows(`update devices set ${limit} = $2 where id = $1`, [PHONES[0], most])
  const send = async () => devicesOf((await server.send({ recipients: many(2) })).body.batch_id)
  const handOut = (count: number) =>
    rows(
      `insert into device_handouts (device, at, messages) values ($1, now() - $2::interval, $3)`,
      [PHONES[0], ago, count],
    )
  await handOut(most - 1)
  expect(new Set(await send())).toEqual(new Set(PHONES))
  await handOut(1)
  expect(new Set(await send())).toEqual(new Set([PHONES[1]]))
  await rows('delete from device_handouts')
  await rows('update devices set per_minute = 0, daily_limit = 0 where id = $1', [PHONES[0]])
})

test('a device of another user gets no message', async () => {
  await server.send({ recipients: many(10) })
  expect(await rows('select count(*) from sms_messages where device = $1', [BENS_PHONE])).toEqual([
    [0],
  ])
})

test('named devices and opted-out recipients take no turn', async () => {
  await rows('delete from sms_messages')
  await rows('delete from sms_dispatch')
  const kinds = [
    { device_id: PHONES[0] },
    { recipients: ['+4900004'] },
    { recipients: ['+4911111', '+4900004', '+4922222'] },
    {},
  ]
  await Promise.all(Array.from({ length: 200 }, (_, i) => server.send(kinds[i % kinds.length])))
  const found = await rows(
    `select m.device, count(*) from sms_messages m join sms_dispatch d on d.message = m.id where not d.pinned group by 1`,
  )
  const numbers = found.map(([, n]) => Number(n))
  expect(numbers).toHaveLength(2)
  expect(Math.max(...numbers) - Math.min(...numbers)).toBeLessThanOrEqual(1)
})
