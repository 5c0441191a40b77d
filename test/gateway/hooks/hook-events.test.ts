import { runServer } from '../../support/database/open.ts'
import { client } from '../../support/server/server-with-devices.ts'
import { testConfig } from '../../support/server/start.ts'
import { until } from '../../support/until.ts'
import { alertmanager, records, startHooksFixture, TO } from './hooks-fixture.ts'

const fixture = await startHooksFixture()
const { guest, query, alice, hookOf, post, textsBy, callsOf, remove } = fixture

describe('an event is sent once', () => {
  test('an event is sent once and its end once, however often both are repeated', async () => {
    const hook = await hookOf(alice, { preset: 'alertmanager' })
    for (const status of ['firing', 'resolved'])
      for (const outcome of ['sent', 'repeated'])
        expect((await post(hook, alertmanager(status))).body.outcome).toBe(outcome)
    expect(await textsBy(hook)).toEqual(['firing: DiskFull', 'resolved: DiskFull'])
    await query(`update hook_once set until = now() where hook = $1`, [hook.id])
    expect((await post(hook, alertmanager('firing'))).body.outcome).toBe('sent')
    await alice.call('PATCH', `${records('hooks')}/${hook.id}`, { resolved: 'skip' })
    expect((await post(hook, alertmanager('resolved'))).body.outcome).toBe('resolved')
    await remove(alice, hook)
  })

  test('an event is sent once even with more alerts than the repeat key reads', async () => {
    const hook = await hookOf(alice, { preset: 'alertmanager' })
    const storm = {
      ...alertmanager('firing'),
      alerts: Array(1_000).fill(alertmanager('firing').alerts[0]),
    }
    expect((await post(hook, storm)).body.outcome).toBe('sent')
    expect((await post(hook, storm)).body.outcome).toBe('repeated')
  })

  test('an event is sent once by two nodes that get it at the same moment', async () => {
    const hook = await hookOf(alice, { preset: 'alertmanager' })
    const { databaseUrl } = fixture.server.services.config
    const second = await runServer(await testConfig({ DATABASE_URL: databaseUrl! }))
    onTestFinished(() => second.stop())
    const nodes = [guest, client(second.url, '', '')]
    const calls = Array.from({ length: 10 }, (_, i) =>
      nodes[i % 2]!.call('POST', `/api/hooks/${hook.secret}`, alertmanager('firing')),
    )
    const outcomes = (await Promise.all(calls)).map(({ body }) => body.outcome)
    expect(outcomes.sort()).toEqual([...Array(9).fill('repeated'), 'sent'])
    expect(await textsBy(hook)).toHaveLength(1)
    await remove(alice, hook)
  })

  test.each(['sms_messages', 'hook_once', 'hook_windows', 'hook_calls'])(
    'a crash while %s is written stores nothing, and the next call sends',
    async (table) => {
      const hook = await hookOf(alice, { preset: 'alertmanager' })
      await query(
        `create function die() returns trigger language plpgsql as $$ begin raise 'dead'; end $$`,
      )
      await query(
        `create trigger die before insert on ${table} for each row execute function die()`,
      )
      expect((await post(hook, alertmanager('firing'))).status).toBe(500)
      await query('drop function die cascade')
      expect(await textsBy(hook)).toEqual([])
      expect((await post(hook, alertmanager('firing'))).body.outcome).toBe('sent')
      await remove(alice, hook)
    },
  )
})

test("above the hook's rate one summary is sent at the end of the hour", async () => {
  const hook = await hookOf(alice, { rate: 5, recipients: [TO, '+4915100000001'] })
  const calls = Array.from({ length: 100 }, (_, i) => post(hook, `Alert ${i} ${'x'.repeat(200)}`))
  const outcomes = (await Promise.all(calls)).map(({ body }) => body.outcome)
  expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(3)
  expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(97)
  expect(await callsOf(alice, hook)).toHaveLength(10)
  expect(await textsBy(hook)).toHaveLength(8)
  const SUMMARY = `from sms_messages where sent_by = $1 and status = $2 and body = 'Alarm: and 97 more'`
  const summary = `select scheduled_at = (select pb_text(began + interval '1 hour') from hook_windows where hook = $1) ${SUMMARY}`
  expect(await query(summary, [hook.id, 'pending'])).toEqual([[true], [true]])
  const hurry = `update sms_dispatch set due_at = now() where message in (select id ${SUMMARY})`
  await query(hurry, [hook.id, 'pending'])
  await until(
    'the summary leaves',
    async () => (await query(summary, [hook.id, 'assigned'])).length === 2,
  )
  await query(`update hook_windows set began = began - interval '1 hour' where hook = $1`, [
    hook.id,
  ])
  expect((await post(hook, 'Alert 100')).body.outcome).toBe('sent')
  await remove(alice, hook)
})

test("a text in the hook's quiet hours waits for their end", async () => {
  const timeIn = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  const [from, to] = [timeIn(-1), timeIn(2)]
  const hook = await hookOf(alice, { quiet_from: from, quiet_to: to })
  const { body } = await post(hook, 'Hi')
  const message = (await alice.call('GET', `${records('sms_messages')}/${body.messages[0]}`)).body
  expect([message.status, message.scheduled_at.slice(11, 16)]).toEqual(['pending', to])
  await remove(alice, hook)
})
