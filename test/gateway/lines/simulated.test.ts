import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture()

const setDevice = (device: string, columns: string) =>
  fixture.rows(`update devices set ${columns} where name = $1`, [device.padEnd(15, '0')])
const many = Array.from({ length: 6 }, (_, i) => `+49${10_000 + i}`)
const linesInUse = () =>
  fixture.rows(`select distinct line, status from sms_messages order by line`)

/** Devices `a`, simulated, with the slots 1 and 2, and `b`, a phone with slot 1. */
beforeEach(async () => {
  await fixture.reset()
  await fixture.lines('a1', 'a2', 'b1')
  await setDevice('a', `platform = 'simulator'`)
  await setDevice('b', `platform = 'android'`)
})

test.each([
  ['a plain text goes', '', {}],
  ['texts to several go', '', { recipients: many }],
  ['a text by a slot goes', '', { sim: 1 }],
  [
    'a text to the prefix of a simulated line goes',
    `update lines set prefixes = '+49' where slot = 2`,
    {},
  ],
  ['texts while lines have limits go', 'update lines set daily_limit = 100', { recipients: many }],
  [
    'texts while a device has limits go',
    'update devices set daily_limit = 100',
    { recipients: many },
  ],
])('%s by the real phone, not the simulated one', async (_, sql, body) => {
  if (sql) await fixture.rows(sql)
  for (let i = 0; i < 2; i++)
    expect(new Set(await fixture.sendAll({ recipients: ['+4911000'], ...body }))).toEqual(
      new Set(['b1']),
    )
})

test('a conversation begun with a simulated phone continues on the real phone', async () => {
  await fixture.receive('a', '+4977000')
  expect(await fixture.sendAll({ recipients: ['+4977000'] })).toEqual(['b1'])
  await fixture.set('b1', 'daily_limit = 10')
  expect(await fixture.sendAll({ recipients: ['+4977000', '+4978000'] })).toEqual(['b1', 'b1'])
})

test('a send that names the simulated phone goes by it', async () => {
  await fixture.set('a2', `number = '+4900020'`)
  const named = [{ device_id: 'a', sim: 1 }, { line_id: 'a1' }, { from: '+4900020' }]
  const got = []
  for (const names of named)
    got.push(await fixture.send({ recipients: ['+4911000'], ...fixture.named(names) }))
  expect(got).toEqual(['a1', 'a1', 'a2'])
})

test.each([['enabled = false'], [`last_seen = ''`]])(
  'a simulated phone does not replace a real phone that cannot send (%s)',
  async (columns) => {
    await setDevice('b', columns)
    expect(await fixture.send({ recipients: ['+4911000'] })).toBe('no_devices')
    await fixture.sendAll({
      recipients: many,
      scheduled_at: new Date(Date.now() + 5_000).toISOString(),
    })
    await fixture.rows('update sms_dispatch set due_at = now()')
    await sweepQueue(fixture.store, 600)
    expect(await linesInUse()).toEqual([['', 'pending']])
  },
)

test('a text waits when the real phone has reached its limit', async () => {
  await fixture.set('b1', 'daily_limit = 1')
  expect(await fixture.sendAll({ recipients: many.slice(0, 3) })).toEqual(['b1', null, null])
  const leaves = await fixture.rows(
    `select sms_last_leaves_at($1, now(), 0, '', '') > now() + interval '1 day'`,
    [fixture.user],
  )
  expect(leaves).toEqual([[true]])
})

test('unclaimed texts move from simulated to real phones, never back', async () => {
  await setDevice('b', `platform = 'simulator'`)
  expect(new Set(await fixture.sendAll({ recipients: many }))).toEqual(new Set(['a1', 'a2', 'b1']))
  await setDevice('b', `platform = 'modem'`)
  await setDevice('a', `last_seen = ''`)
  await sweepQueue(fixture.store, 600)
  expect(await linesInUse()).toEqual([[fixture.idOf('b1'), 'assigned']])
  await setDevice('a', `last_seen = '2099-01-01 00:00:00.000Z'`)
  await setDevice('b', `last_seen = ''`)
  await sweepQueue(fixture.store, 600)
  expect(await linesInUse()).toEqual([[fixture.idOf('b1'), 'assigned']])
})

test('an automatic answer to a text received by a simulated phone is sent by that phone', async () => {
  await fixture.rows(
    `insert into auto_answers (id, "user", enabled, match, body, created) values ('answer000000000', $1, true, 'any', 'Yes', pb_text(now()))`,
    [fixture.user],
  )
  await fixture.receive('a', '+491701234567')
  await fixture.receive('b', '+491701234568')
  await fixture.answer()
  expect(
    await fixture.rows(
      `select "to", line from sms_messages where message_type = 'outgoing' order by "to"`,
    ),
  ).toEqual([
    ['+491701234567', fixture.idOf('a1')],
    ['+491701234568', fixture.idOf('b1')],
  ])
})
