import { inGroupsOf64, openSendFixture } from '../../../support/database/send-fixture.ts'

const many = (count: number) => Array.from({ length: count }, (_, i) => `+49${10_000 + i}`)
const tally = (list: readonly string[]) =>
  Object.fromEntries(
    [...new Set(list)].map((one) => [one, list.filter((other) => other === one).length]),
  )

/** A database with two nodes. `send` goes by one of them. */
async function open(phones: number, quota = 0) {
  const { db, node } = await openSendFixture(phones, quota)
  const nodes = [node(), node()]
  return { db, send: (i: number, body: object) => nodes[i % 2]!(body) }
}

test('64 senders on two nodes with a quota of 1,000 get exactly 1,000 of 5,000 sends accepted', async () => {
  const { db, send } = await open(2, 1000)
  const answers: string[] = []
  await inGroupsOf64(5000, async (i) => {
    answers.push(await send(i, {}))
  })
  expect(tally(answers)).toEqual({ accepted: 1000, quota_exceeded: 4000 })
  expect((await db.query('select count(*) from sms_messages')).rows).toEqual([[1000]])
  expect((await db.query('select used from sms_usage')).rows).toEqual([[1000]])
}, 120_000)

test('10,000 messages on two nodes are spread over 7 devices with counts that differ by at most 1', async () => {
  const { db, send } = await open(7)
  // two of three are alone, the third brings four; in between, some go to a device by name: they take no
  // turn
  await inGroupsOf64(5000, async (i) => {
    expect(await send(i, { recipients: many(i % 3 === 0 ? 4 : 1) })).toBe('accepted')
    if (i % 10 === 0) expect(await send(i, { device_id: 'phone0000000001' })).toBe('accepted')
  })
  const { rows } = await db.query(
    'select count(*) from sms_dispatch where not pinned group by device order by 1',
  )
  const counts = rows.map(([n]) => Number(n))
  expect(counts).toHaveLength(7)
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(10_001)
  expect(counts.at(-1)! - counts[0]!).toBeLessThanOrEqual(1)
}, 240_000)
