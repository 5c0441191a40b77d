import { describe, expect, test, vi } from 'vitest'
import { type Share, SpoolBudget } from '../../src/files/spool-budget.ts'

const WAIT_MS = 1_000

/** A budget of 100 bytes, with a log of who was evicted and how. */
function setUp(maxBytes = 100) {
  const budget = new SpoolBudget(maxBytes, WAIT_MS)
  const evicted: [string, number][] = []
  const open = (holder: string, name = holder, bodyBytes = 100) =>
    budget.open({ holder, maxBytes: bodyBytes }, ({ status }) => evicted.push([name, status]))
  return { budget, evicted, open }
}

async function fill(budget: SpoolBudget, share: Share, bytes: number) {
  for (let i = 0; i < bytes; i++) await budget.take(share, 1)
}

describe('when all room is taken', () => {
  test('the holder with the most bytes gives way, with its largest request', async () => {
    const { budget, evicted, open } = setUp()
    await fill(budget, open('much', 'small'), 20)
    await fill(budget, open('much', 'large'), 40)
    await fill(budget, open('less'), 40)
    const late = open('late')
    await fill(budget, late, 30)
    expect(evicted).toEqual([['large', 429]])
    expect(late.bytes).toBe(30)
  })

  test('no holder makes others give way by opening many requests', async () => {
    const { budget, evicted, open } = setUp()
    await fill(budget, open('one'), 50)
    const many = Array.from({ length: 50 }, () => open('many'))
    for (const share of many) await budget.take(share, 1)
    await expect(budget.take(many[0]!, 1)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 10 })
    expect(evicted).toEqual([])
  })

  test('one holder alone is told that it sends too much', async () => {
    const { budget, open } = setUp()
    const share = open('one')
    await fill(budget, share, 100)
    await expect(budget.take(share, 1)).rejects.toMatchObject({ status: 429 })
  })

  test('whoever waits is served when a request ends, the holder with the least first', async () => {
    const { budget, open } = setUp()
    const done = open('done')
    await fill(budget, done, 30)
    done.isReceiving = false
    const [much, little] = [open('much'), open('little')]
    await fill(budget, much, 40)
    await fill(budget, little, 30)
    const order: string[] = []
    const waits = [
      budget.take(much, 20).then(() => order.push('much')),
      budget.take(little, 5).then(() => order.push('little')),
    ]
    budget.close(done)
    await Promise.all(waits)
    expect(order).toEqual(['little', 'much'])
  })

  test('a slow sender gives way to a fast one that holds more', async () => {
    vi.useFakeTimers()
    try {
      const { budget, evicted, open } = setUp()
      await fill(budget, open('slow'), 40)
      const fast = open('fast')
      await fill(budget, fast, 60)
      vi.advanceTimersByTime(31_000)
      budget.received(fast, 400_000)
      const more = budget.take(fast, 30)
      await vi.advanceTimersByTimeAsync(300)
      await more
      expect(evicted).toEqual([['slow', 503]])
      expect(fast.bytes).toBe(90)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a request that has come whole is never evicted', async () => {
    const { budget, evicted, open } = setUp()
    const whole = open('whole')
    await fill(budget, whole, 100)
    whole.isReceiving = false
    await expect(budget.take(open('late'), 1)).rejects.toMatchObject({ status: 503 })
    expect(evicted).toEqual([])
  })
})

test('a request that may be larger than the budget raises it as long as it is open', async () => {
  const { budget, open } = setUp()
  const large = open('large', 'large', 300)
  await fill(budget, large, 300)
  budget.close(large)
  const next = open('next')
  await fill(budget, next, 100)
  await expect(budget.take(next, 1)).rejects.toMatchObject({ status: 429 })
})
