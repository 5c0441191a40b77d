import { lineWarnings, readLineFigures } from '../../../src/sms/usage/line-limits.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

const fixture = await openLineFixture()
// that of the other user
await fixture.rows(`update devices set enabled = false`)

beforeEach(() => fixture.reset())

/** Sets a limit and what was used of it, today and this month unless `when` says otherwise. */
async function use(line: string, limit: string, used: string, when = 'now()') {
  await fixture.set(line, `${limit} = 100`)
  await fixture.rows(
    `insert into line_use (line, day, month, day_texts, month_texts, recipients)
    values ($1, to_char((${when}) at time zone 'UTC', 'YYYY-MM-DD'), to_char((${when}) at time zone 'UTC', 'YYYY-MM'), 0, 0, 0)
    on conflict (line) do update set day = excluded.day, month = excluded.month`,
    [fixture.idOf(line)],
  )
  await fixture.rows(`update line_use set ${used} where line = $1`, [fixture.idOf(line)])
}

test.each([
  ['no limit', '', '', 'free'],
  ['89 of 100 a day', 'daily_limit', 'day_texts = 89', 'free'],
  ['90 of 100 a day', 'daily_limit', 'day_texts = 90', 'near'],
  ['100 of 100 a day', 'daily_limit', 'day_texts = 100', 'full'],
  ['99 of 100 a month', 'monthly_limit', 'month_texts = 99', 'near'],
  ['more than the limit, which was lowered', 'monthly_limit', 'month_texts = 150', 'full'],
  ['95 recipients of 100', 'monthly_recipients', 'recipients = 95', 'near'],
  ['100 recipients of 100', 'monthly_recipients', 'recipients = 100', 'full'],
] as const)('%s', async (_, limit, used, state) => {
  await fixture.lines('a1')
  if (limit) await use('a1', limit, used)
  expect(await readLineFigures(fixture.store)).toEqual({ free: 0, near: 0, full: 0, [state]: 1 })
})

test.each([
  ['daily_limit', 'day_texts = 100', `now() - interval '1 day'`],
  ['monthly_limit', 'month_texts = 100', `now() - interval '32 days'`],
  ['monthly_recipients', 'recipients = 100', `now() - interval '32 days'`],
])('%s of a day or month before counts as nothing', async (limit, used, when) => {
  await fixture.lines('a1')
  await use('a1', limit, used, when)
  expect(await readLineFigures(fixture.store)).toEqual({ free: 1, near: 0, full: 0 })
})

test('lines that cannot send do not count', async () => {
  await fixture.lines('a1', 'a2', 'b1')
  for (const line of ['a1', 'a2', 'b1']) await use(line, 'daily_limit', 'day_texts = 100')
  await fixture.set('a1', 'enabled = false')
  await fixture.set('a2', 'present = false')
  await fixture.rows(`update devices set enabled = false where id like 'b0%'`)
  expect(await readLineFigures(fixture.store)).toEqual({ free: 0, near: 0, full: 0 })
  expect(await lineWarnings(fixture.store)).toEqual({})
})

test('warnings name accounts and lines, and not all of many', async () => {
  await fixture.lines('a1', 'a2', ...'bcdefghijklm'.split('').map((device) => `${device}1`))
  await use('a1', 'daily_limit', 'day_texts = 100')
  await fixture.set('a1', `label = 'Shop'`)
  await fixture.rows(`update devices set name = left(id, 1) where "user" = $1`, [fixture.user])
  for (const device of 'bcdefghijklm') await use(`${device}1`, 'monthly_limit', 'month_texts = 95')
  expect(await lineWarnings(fixture.store)).toEqual({
    full: 'Lines that have reached a limit, so that texts may wait (1): line@example.com (Shop).',
    near: 'Lines that have used 90 % of a limit (12): line@example.com (b SIM 1, c SIM 1, d SIM 1, e SIM 1, f SIM 1, g SIM 1, h SIM 1, i SIM 1, j SIM 1, k SIM 1 and 2 more).',
  })
})

test('superusers read them at /api/warnings, and Prometheus counts', async () => {
  const server = await startServerWithDevices()
  const user = await server.makeUser()
  await server.pair(user, { sims: [{ slot: 1 }, { slot: 2 }] })
  await server.server.services.store.db.script(`
    update lines set daily_limit = 100 where slot = 1;
    update line_use set day_texts = 100`)
  const { body } = await server.superuser.call('GET', '/api/warnings')
  expect(body.map(({ code }: { code: string }) => code)).toContain('lines_full')
  expect((await user.call('GET', '/api/warnings')).status).toBe(403)
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.superuser.token}` },
  })
  const counts = (await metrics.text()).matchAll(/^pocketsms_lines\{state="(\w+)"\} (\d+)/gm)
  expect(Object.fromEntries([...counts].map(([, state, count]) => [state, Number(count)]))).toEqual({
    free: 1,
    near: 0,
    full: 1,
  })
})
