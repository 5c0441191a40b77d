import { EventLoopSlices } from '../../src/admission/event-loop-slices.ts'

/** Keeps the event loop busy, as a parser does. */
function beBusy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('sliced work lets timers fire and completes', async () => {
  const slices = new EventLoopSlices()
  let [ticks, done] = [0, 0]
  const timer = setInterval(() => ticks++, 5)
  const work = async () => {
    for (let i = 0; i < 100; i++) {
      if (slices.isUsedUp) await slices.next()
      beBusy(1)
    }
    done++
  }
  await Promise.all([work(), work(), work()])
  clearInterval(timer)
  expect(done).toBe(3)
  expect(ticks).toBeGreaterThan(10)
})

test('one task runs at a time, in order, and long ones are followed by a rest', async () => {
  const slices = new EventLoopSlices(100)
  const spans: [begin: number, end: number][] = []
  const order: string[] = []
  const work = async (name: string) => {
    await slices.next()
    const begin = performance.now()
    beBusy(20)
    order.push(name)
    spans.push([begin, performance.now()])
  }
  await Promise.all([work('a'), work('b'), new Promise(setImmediate).then(() => work('c'))])
  expect(order).toEqual(['a', 'b', 'c'])
  for (let i = 1; i < 3; i++) expect(spans[i]![0] - spans[i - 1]![1]).toBeGreaterThan(15)
})

test('a task that arrives during a rest waits for its end, and the rest is bounded', async () => {
  const slices = new EventLoopSlices(30)
  await slices.next()
  beBusy(200)
  const endedAt = performance.now()
  await new Promise(setImmediate)
  expect(slices.isUsedUp).toBe(true)
  await slices.next()
  const restMs = performance.now() - endedAt
  expect(restMs).toBeGreaterThan(25)
  expect(restMs).toBeLessThan(190)
})

test('an unused slice is followed by the next without a rest', async () => {
  const slices = new EventLoopSlices()
  for (let i = 0; i < 20; i++) {
    expect(slices.isUsedUp).toBe(false)
    await new Promise(setImmediate)
  }
})

test('a list is mapped in order, and other work runs between its pieces', async () => {
  const slices = new EventLoopSlices()
  const others: number[] = []
  const items = Array.from({ length: 100 }, (_, i) => i)
  let done = 0
  const timer = setInterval(() => others.push(done), 1)
  const doubled = await slices.map(items, (item) => {
    beBusy(1)
    done++
    return 2 * item
  })
  clearInterval(timer)
  expect(doubled).toEqual(items.map((item) => 2 * item))
  expect(others.some((count) => count > 0 && count < 100)).toBe(true)
})
