import { expect, test } from 'vitest'
import { BodyPace } from '../../../src/http/body/body-pace.ts'

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
