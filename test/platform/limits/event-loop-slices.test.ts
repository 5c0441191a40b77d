import { EventLoopSlices } from '../../../src/platform/limits/event-loop-slices.ts'

/** Keeps the event loop busy, as a parser does. */
function beBusy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('work in slices lets timers fire and completes', async () => {
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

test('one task runs at a time, in the order of calls, and timers fire between long tasks', async () => {
  const slices = new EventLoopSlices()
  const order: string[] = []
  const timer = setInterval(() => order.push('timer'), 1)
  const work = async (name: string) => {
    await slices.next()
    beBusy(20)
    order.push(name)
  }
  await Promise.all([work('a'), work('b'), new Promise(setImmediate).then(() => work('c'))])
  clearInterval(timer)
  expect(order.filter((name, i) => name !== order[i - 1])).toEqual([
    'a',
    'timer',
    'b',
    'timer',
    'c',
  ])
})

test('a task that arrives during a pause waits, and gets its slice on an event loop that is never idle', async () => {
  const slices = new EventLoopSlices()
  let [turns, isBusy] = [0, true]
  const others = () => {
    beBusy(5)
    turns++
    if (isBusy) setImmediate(others)
  }
  await slices.next()
  beBusy(20)
  await new Promise(setImmediate)
  expect(slices.isUsedUp).toBe(true)
  others()
  await slices.next()
  isBusy = false
  expect(turns).toBeGreaterThan(2)
})

test('an unused slice is followed by the next without a pause', async () => {
  const slices = new EventLoopSlices()
  let free = 0
  for (let i = 0; i < 20; i++) {
    if (slices.isUsedUp) await slices.next()
    else free++
    await new Promise(setImmediate)
  }
  // a busy machine may take more than a slice's time for nothing
  expect(free).toBeGreaterThan(10)
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
