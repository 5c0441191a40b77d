import { loadUsage } from '../../../../src/gateway/base/quota-usage.ts'
import { waitPastMidnight } from '../../../support/database/midnight.ts'
import {
  ANN,
  as,
  BEN,
  CLEO,
  startServerWithUsers,
} from '../../../support/server/server-with-users.ts'

await waitPastMidnight({ isMonth: true })
const server = await startServerWithUsers({ SMS_MONTHLY_QUOTA: '3' })

const setQuota = (user: string, quota: number) =>
  server.rows('update users set monthly_quota = $2 where id = $1', [user, quota])
const forget = (user: string) => server.rows('delete from sms_usage where "user" = $1', [user])
const usage = async (who = ANN) => (await server.ask('GET', 'usage', undefined, as(who))).body
const many = (count: number) => Array.from({ length: count }, (_, i) => `+4922000${i}0`)

test("the server's quota applies to users without their own, and a request is accepted whole or not at all", async () => {
  expect((await server.send({ recipients: many(2) })).status).toBe(200)
  const refused = await server.send({ recipients: many(2) })
  expect([refused.status, refused.body.error]).toEqual([402, 'quota_exceeded'])
  expect((await server.send()).status).toBe(200)
  expect((await server.send()).status).toBe(402)
  expect(await usage()).toMatchObject({ used: 3, quota: 3, remaining: 0 })
})

test("a user's own quota overrides the server's, also if it is lower", async () => {
  await setQuota(ANN.id, 4)
  expect(await usage()).toMatchObject({ used: 3, quota: 4, remaining: 1 })
  expect((await server.send()).status).toBe(200)
  await setQuota(ANN.id, 2)
  expect((await server.send()).status).toBe(402)
  expect(await usage()).toMatchObject({ used: 4, quota: 2, remaining: 0 })
})

test('usage is a record that its user can read', async () => {
  await forget(BEN.id)
  await setQuota(BEN.id, 10)
  await server.send({}, as(BEN))
  const headers = await server.signedIn('users', BEN.id)
  const { body } = await server.ask('GET', '/api/collections/sms_usage/records', undefined, headers)
  const period = new Date().toISOString().slice(0, 7)
  expect(body).toMatchObject({
    totalItems: 1,
    items: [{ user: BEN.id, period, used: 1, quota: 10 }],
  })
})

test('usage counts calendar months in UTC and says when the next one begins', async () => {
  const { period, resets_at } = await usage()
  const now = new Date()
  expect(period).toBe(now.toISOString().slice(0, 7))
  expect(new Date(resets_at).getTime()).toBe(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
})

test('usage of other months does not count against the quota', async () => {
  await setQuota(ANN.id, 4)
  await server.rows(`update sms_usage set period = '2020-02' where "user" = $1`, [ANN.id])
  expect(await usage()).toMatchObject({ used: 0, remaining: 4 })
  expect((await server.send({ recipients: many(4) })).status).toBe(200)
  expect(
    await server.rows('select used from sms_usage where "user" = $1 order by period', [ANN.id]),
  ).toEqual([[4], [4]])
})

test('a large request above the quota does not block smaller ones sent at the same time', async () => {
  await forget(BEN.id)
  await setQuota(BEN.id, 10)
  const sizes = [4, 9, 3, 8, 2, 7, 1]
  const answers = await Promise.all(
    sizes.map((size) => server.send({ recipients: many(size) }, as(BEN))),
  )
  const accepted = sizes
    .filter((_, i) => answers[i]!.status === 200)
    .reduce((sum, size) => sum + size, 0)
  expect(accepted).toBeGreaterThan(6)
  expect(accepted).toBeLessThanOrEqual(10)
  expect(await usage(BEN)).toMatchObject({ used: accepted })
})

test('a quota of 0 means no limit, and remaining is null', async () => {
  const usage = await loadUsage(
    server.store,
    CLEO.id,
    { monthlyQuota: 0 },
    new Date('2026-12-31T23:59:59Z'),
  )
  const resets_at = '2027-01-01 00:00:00.000Z'
  expect(usage).toEqual({ period: '2026-12', used: 0, quota: 0, remaining: null, resets_at })
})
