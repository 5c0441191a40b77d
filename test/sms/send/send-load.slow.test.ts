import { expect, test } from 'vitest'
import { inGroupsOf64, openSendFixture } from '../../support/database/send-fixture.ts'

const many = (count: number) => Array.from({ length: count }, (_, i) => `+49${10_000 + i}`)
const tally = (list: readonly string[]) =>
  Object.fromEntries([...new Set(list)].map((one) => [one, list.filter((other) => other === one).length]))

test.each([
  ['one node', 1],
  ['two nodes', 2],
])(
  '%s, 64 parallel senders, quota 1,000, 5,000 tries: exactly 1,000 accepted',
  async (_, count) => {
    const fixture = await openSendFixture(2, 1000)
    try {
      const nodes = Array.from({ length: count }, () => fixture.node())
      const answers: string[] = []
      await inGroupsOf64(5000, async (i) => {
        answers.push(await nodes[i % count]!({}))
      })
      expect(tally(answers)).toEqual({ accepted: 1000, quota_exceeded: 4000 })
      expect((await fixture.db.query('select count(*) from sms_messages')).rows).toEqual([[1000]])
      expect((await fixture.db.query('select used from sms_usage')).rows).toEqual([[1000]])
    } finally {
      await fixture.stop()
    }
  },
  120_000,
)

test.each([
  ['one node', 1],
  ['two nodes', 2],
])(
  '%s, 10,000 messages over 7 devices: counts differ by at most 1',
  async (_, count) => {
    const fixture = await openSendFixture(7)
    try {
      const nodes = Array.from({ length: count }, () => fixture.node())
      // two of three are alone, the third brings four; in between, some go to a device by name: they take no
      // turn
      await inGroupsOf64(5000, async (i) => {
        const body = { recipients: many(i % 3 === 0 ? 4 : 1) }
        expect(await nodes[i % count]!(body)).toBe('accepted')
        if (i % 10 === 0) expect(await nodes[i % count]!({ device_id: 'phone0000000001' })).toBe('accepted')
      })
      const { rows } = await fixture.db.query(
        'select count(*) from sms_dispatch where not pinned group by device order by 1',
      )
      const counts = rows.map(([n]) => Number(n))
      expect(counts).toHaveLength(7)
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(10_001)
      expect(counts.at(-1)! - counts[0]!).toBeLessThanOrEqual(1)
    } finally {
      await fixture.stop()
    }
  },
  240_000,
)
