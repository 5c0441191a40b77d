import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BodyPace } from '../../src/http/body-pace.ts'

const GUEST = 'address 192.0.2.1'
const MIB = 1 << 20

/** Milliseconds that something takes. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work
  return performance.now() - begin
}

test('a guest has 2 MiB at once, then waits; others do not', async () => {
  const pace = new BodyPace()
  expect(await timeOf(pace.share(GUEST, 2.25 * MIB))).toBeLessThan(100)
  const second = timeOf(pace.share(GUEST, 1))
  expect(await timeOf(pace.share('address 192.0.2.2', 1))).toBeLessThan(100)
  expect(await timeOf(pace.share('users a', 8 * MIB))).toBeLessThan(100)
  expect(await timeOf(pace.share(undefined, 1_000 * MIB))).toBeLessThan(100)
  expect(await second).toBeGreaterThan(150)
})

test('whoever would wait for more than 30 s gets 429, which costs no share', async () => {
  const pace = new BodyPace()
  await pace.share('users a', 66 * MIB)
  await expect(pace.share('users a', 1)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 })
})

test('one turn at a time, in order, with a rest after long ones', async () => {
  const pace = new BodyPace()
  const spans: [begin: number, end: number][] = []
  const work = async () => {
    await pace.turn()
    const begin = performance.now()
    while (performance.now() - begin < 20) {
      // busy, as a parser is
    }
    spans.push([begin, performance.now()])
  }
  await Promise.all([work(), work(), sleep(1).then(work)])
  expect(spans).toHaveLength(3)
  for (let i = 1; i < 3; i++) expect(spans[i]![0] - spans[i - 1]![1]).toBeGreaterThan(15)
})
