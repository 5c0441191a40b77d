import { readFileSync } from 'node:fs'
import { LIMITS, makeByteLimits, RATES } from '../../../src/platform/limits/admission-limits.ts'
import { Budget } from '../../../src/platform/limits/byte-budget.ts'
import {
  type Holder,
  makeServerTicket as ticketFor,
} from '../../../src/platform/limits/limit-holder.ts'
import { DatabaseTime, Rates } from '../../../src/platform/limits/rates.ts'
import { findStreamPlaces, Places } from '../../../src/platform/limits/waiting-places.ts'

afterEach(() => void vi.useRealTimers())

const makeServerTicket = (name: string) => ticketFor(name as Holder)
const limit = (total: number, share = total) => ({ name: 'something', total, share })

test('memory: one holder can take half of the free memory, so that others get some', () => {
  const budget = new Budget(limit(120))
  const [first, more, second, third] = ['a', 'a', 'b', 'c'].map((holder) => budget.open(holder))
  expect(first!.tryTake(59)).toBe(true)
  expect([more!.tryTake(1), more!.tryTake(1)]).toEqual([true, false])
  expect(second!.tryTake(30)).toBe(true)
  expect([third!.tryTake(16), third!.tryTake(15)]).toEqual([false, true])
})

test('memory: a request larger than the whole budget is served alone', () => {
  const budget = new Budget(limit(100))
  const large = budget.open('a')
  expect(large.tryTake(90)).toBe(true)
  expect(large.tryTake(90)).toBe(true)
  expect(budget.open('b').tryTake(1)).toBe(false)
  large.close()
  expect(budget.taken).toBe(0)
})

test('memory: a waiting holder gets memory when another frees it, or 429', async () => {
  vi.useFakeTimers()
  const budget = new Budget(limit(100))
  const [first, second] = [budget.open('a'), budget.open('a')]
  first.tryTake(50)
  let entered = false
  const taken = second.take(40).then(() => {
    entered = true
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(entered).toBe(false)
  first.close()
  await taken
  expect(second.bytes).toBe(40)
  const third = budget.open('a')
  const refused = expect(third.take(40)).rejects.toMatchObject({
    status: 429,
    retryAfterSeconds: 10,
  })
  await vi.advanceTimersByTimeAsync(10_000)
  await refused
})

test('places: holders take turns and cannot exceed their share', async () => {
  const places = new Places<string>(limit(2, 1))
  const order: string[] = []
  const leave = await places.enter('a')
  const work = (holder: string, name: string) =>
    places.run(holder, async () => {
      order.push(name)
    })
  const waiting = [work('a', 'a1'), work('a', 'a2'), work('b', 'b1'), work('c', 'c1')]
  await Promise.all(waiting.slice(2))
  expect(order).toEqual(['b1', 'c1'])
  leave()
  await Promise.all(waiting)
  expect(order).toEqual(['b1', 'c1', 'a1', 'a2'])
  expect(places.use).toEqual({ running: 0, waiting: 0 })
})

test('places: a new holder gets a place while others hold the maximum, and may wait for more', async () => {
  const places = new Places<string>(limit(100, 20))
  const crowd = Array.from({ length: 24 }, (_, i) => `of a crowd ${i}`)
  const leaves = crowd.map((holder) => {
    const own = []
    for (let leave = places.tryEnter(holder); leave; leave = places.tryEnter(holder))
      own.push(leave)
    return own
  })
  expect([leaves[0]!.length, leaves[3]!.length, leaves.at(-1)!.length]).toEqual([20, 15, 1])
  expect(places.tryEnter('another')).toBeDefined()
  for (const holder of crowd) for (let i = 0; i < 500; i++) places.enter(holder).catch(() => {})
  expect(places.use.waiting).toBeLessThan(5_000)
  const entered = places.enter('a third')
  for (const leave of leaves.flat()) leave()
  await entered
})

test('places: a wait that is too long ends with 429, or with 503 if others hold all places', async () => {
  vi.useFakeTimers()
  const places = new Places<string>(limit(1, 1))
  await places.enter('a')
  const own = expect(places.enter('a')).rejects.toMatchObject({ status: 429 })
  const other = expect(places.enter('b')).rejects.toMatchObject({ status: 503 })
  await vi.advanceTimersByTimeAsync(10_000)
  await Promise.all([own, other])
  expect(places.use.waiting).toBe(0)
})

test('places: 1,000 sign-ins may wait for a connection', async () => {
  const places = new Places(limit(1, Infinity))
  const leave = await places.enter('sign-in')
  const all = Array.from({ length: 1_000 }, () => places.run('sign-in', async () => {}))
  leave()
  await Promise.all(all)
})

test('event streams: a server counts only its own', () => {
  const [one, other] = [findStreamPlaces({}, 1), findStreamPlaces({}, 1)]
  const ann = 'ann' as Holder
  expect(one.tryEnter(ann)).toBeDefined()
  expect(one.tryEnter(ann)).toBeUndefined()
  expect(other.tryEnter(ann)).toBeDefined()
})

test('rates: a holder in debt is delayed or refused, another holder is not', async () => {
  const rates = new Rates<string>({ name: 'something', burst: 100, perSecond: 100 })
  await rates.pay('a', 110)
  expect([rates.debtOf('a') > 0, rates.debtOf('b')]).toEqual([true, 0])
  expect(() => rates.take('a', 1)).toThrow(
    expect.objectContaining({ status: 429, retryAfterSeconds: 1 }),
  )
  await rates.pay('a', 2_000)
  await expect(rates.pay('a', 1)).rejects.toMatchObject({ status: 429 })
  rates.take('b', 100)
})

/** A statement that runs until the returned function is called. */
function beginStatement(time: DatabaseTime, holder: string): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = time.run(makeServerTicket(holder), () => promise)
  return () => {
    resolve()
    return done
  }
}

test('database time: a holder that used up its time has one place, but more while it is alone', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const time = new DatabaseTime(8)
  const statement = (holder: string) => beginStatement(time, holder)
  const first = statement('a')
  await Promise.resolve()
  vi.advanceTimersByTime(2_000)
  await first()
  const alone = [1, 2, 3, 4, 5].map(() => statement('a'))
  expect(time.use).toEqual({ running: 4, waiting: 1 })
  const other = statement('b')
  await alone[0]!()
  expect(time.use).toEqual({ running: 4, waiting: 1 })
  await other()
  expect(time.use).toEqual({ running: 4, waiting: 0 })
  await Promise.all(alone.map((end) => end()))
})

test('database time: concurrent statements share the time, and small debts go before large ones', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const time = new DatabaseTime(8)
  const statement = (holder: string) => beginStatement(time, holder)
  const spend = async (ms: number, ...holders: string[]) => {
    const ends = holders.map(statement)
    await Promise.resolve()
    vi.advanceTimersByTime(ms)
    for (const end of ends) await end()
  }
  await spend(4_000, 'a', 'b', 'c', 'd', 'e')
  await spend(600, 'light', 'lighter')
  await spend(310, 'light')
  const ends = ['a', 'b', 'c', 'd', 'e', 'light', 'lighter', 'lighter'].map(statement)
  // of the large debts four; the small one as well; the last two places are for holders without a place
  expect(time.use).toEqual({ running: 6, waiting: 2 })
  for (const end of ends) await end()
})

test('database time: a holder that used up its time is refused with 429, not 503', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  const time = new DatabaseTime(8)
  const { promise, resolve } = Promise.withResolvers<void>()
  const run = (holder: string) => time.run(makeServerTicket(holder), () => promise)
  const long = time.run(makeServerTicket('a'), () => new Promise((end) => setTimeout(end, 5_000)))
  await vi.advanceTimersByTimeAsync(5_000)
  await long
  const running = [run('a'), run('b')]
  const refused = expect(run('a')).rejects.toMatchObject({ status: 429 })
  await vi.advanceTimersByTimeAsync(10_000)
  await refused
  resolve()
  await Promise.all(running)
})

const MEBIBYTE = 1 << 20
const number = (n: number) =>
  n >= MEBIBYTE
    ? `${n / MEBIBYTE} MiB`
    : Math.round(n * 10) / 10 === n
      ? n.toLocaleString('en')
      : n.toFixed(0)

test.each([
  [256, 32, 10],
  [512, 64, 21],
  [1_536, 192, 64],
  [65_536, 192, 64],
])(
  'with %s MB of memory, large bodies and answers may take %s MiB, subscriptions %s',
  (mb, memory, realtime) => {
    const limits = makeByteLimits(mb * 2 ** 20)
    expect(Math.floor(limits.memory.total / 2 ** 20)).toBe(memory)
    expect(Math.floor(limits.realtimeMemory.total / 2 ** 20)).toBe(realtime)
  },
)

test('docs/internals/client-limits.md lists each limit', () => {
  const page = readFileSync(
    new URL('../../../docs/internals/client-limits.md', import.meta.url),
    'utf8',
  )
  for (const { name, total, share } of Object.values(LIMITS))
    expect(page).toContain(`\n| ${name} | ${number(total)} | ${number(share)} |`)
  // of bytes a holder that is alone has half
  for (const { name, total } of Object.values(makeByteLimits(2 ** 31)))
    expect(page).toContain(`\n| ${name} | ${number(total)} | ${number(total / 2)} |`)
  for (const { name, burst, perSecond } of Object.values(RATES))
    expect(page).toContain(`\n| ${name} | | ${number(burst)}, then ${number(perSecond)} a second |`)
})
