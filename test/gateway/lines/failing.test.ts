import type { Report } from '../../../src/gateway/messages/queue/apply-report-groups.ts'
import { applyReports } from '../../../src/gateway/messages/queue/apply-reports.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture()
const { rows, sendAll, lines, idOf, store } = fixture

beforeEach(async () => {
  await fixture.reset()
  await rows('delete from line_use')
})

const many = (count: number) => Array.from({ length: count }, (_, i) => `+49${10_000 + i}`)
const send = (to: string, more: object = {}) =>
  fixture.send({ recipients: [to], guarantee: 'at_least_once', ...more })

/** A device sends a text by a line and reports what became of it. */
async function report(line: string, outcome: Partial<Report>): Promise<void> {
  const device = line[0]!
  await send('+4911000', { line_id: idOf(line) })
  const texts = await fixture.claim(device)
  const owner = { id: idOf(device), user: fixture.user, phone: '', enabled: true, lastSeen: '' }
  const reports = texts.map(
    ({ id, attempt }): Report => ({
      id,
      attempt,
      status: 'failed',
      error_message: 'No credit',
      ...outcome,
    }),
  )
  await applyReports(store, { ...owner, isLimited: false }, reports, 600)
}
const fail = async (line: string, times: number) => {
  for (let i = 0; i < times; i++) await report(line, {})
}
const failing = async () =>
  (await rows(`select id from lines where failing_since <> '' order by id`)).map(([id]) =>
    String(id).replace(/0+$/, ''),
  )
/** Time passes for lines that fail. */
const pass = (minutes: number) =>
  rows(
    `update lines set failing_since = pb_text(failing_since::timestamptz - $1::interval) where failing_since <> ''`,
    [`${minutes} minutes`],
  )

test('a line that fails five texts in a row is skipped for an hour', async () => {
  await lines('a1', 'b1', 'c1')
  await fail('a1', 4)
  expect(await failing()).toEqual([])
  await fail('a1', 1)
  expect(await failing()).toEqual(['a1'])
  expect(await sendAll({ recipients: many(4) })).toEqual(['b1', 'c1', 'b1', 'c1'])
  expect([await send('+4917000'), await send('+4918000')].sort()).toEqual(['b1', 'c1'])
  // one that names it goes by it
  expect(await send('+4919000', { line_id: idOf('a1') })).toBe('a1')
  await pass(61)
  expect((await sendAll({ recipients: many(6) })).sort()).toEqual([
    'a1',
    'a1',
    'b1',
    'b1',
    'c1',
    'c1',
  ])
  await fail('a1', 1)
  expect(await sendAll({ recipients: many(4) })).not.toContain('a1')
  await report('a1', { status: 'sent' })
  expect(await failing()).toEqual([])
  expect(await sendAll({ recipients: many(3) })).toContain('a1')
})

test('unclaimed texts of a failing line move to other lines', async () => {
  await lines('a1', 'b1')
  await fail('a1', 4)
  expect(await sendAll({ recipients: many(4) })).toContain('a1')
  await rows(`update sms_dispatch set due_at = now() + interval '1 hour' where state = 'assigned'`)
  await fail('a1', 1)
  await sweepQueue(store, 600)
  expect(await rows(`select distinct line from sms_messages where status = 'assigned'`)).toEqual([
    [idOf('b1')],
  ])
})

test('a failing line still sends when no other line can', async () => {
  await lines('a1', 'b1')
  await fail('a1', 5)
  await fixture.set('b1', 'enabled = false')
  expect(await send('+4917000')).toBe('a1')
  await fail('a1', 1)
  expect(await send('+4918000')).toBe('a1')
})

test.each<[what: string, outcome: Partial<Report>]>([
  ['that was canceled or expired', { blameless: true }],
  ['that expired and was not sent', { blameless: true, not_sent: true }],
  ['that was sent ends the row', { status: 'sent' }],
  ['that was delivered ends the row', { status: 'delivered' }],
])('a text %s does not make a line fail', async (_, outcome) => {
  await lines('a1', 'b1')
  await fail('a1', 4)
  await report('a1', outcome)
  if (!outcome.blameless) await fail('a1', 4)
  expect(await failing()).toEqual([])
})

test('a text reported as not sent counts as a failure, a sent but undelivered one does not', async () => {
  await lines('a1', 'b1')
  await fail('a1', 4)
  await report('a1', { not_sent: true })
  expect(await failing()).toEqual(['a1'])
  await fail('b1', 4)
  await report('b1', { status: 'sent' })
  await fail('b1', 4)
  const [[id]] = (await rows(`select id from sms_messages where status = 'sent'`)) as [[string]]
  const device = { id: idOf('b'), user: fixture.user, phone: '', enabled: true, lastSeen: '' }
  const late: Report = { id, attempt: 1, status: 'failed' }
  await applyReports(store, { ...device, isLimited: false }, [late], 600)
  expect(await failing()).toEqual(['a1'])
})
