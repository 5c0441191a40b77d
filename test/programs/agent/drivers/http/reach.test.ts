import { watchReach } from '../../../../../src/programs/agent/drivers/http/driver.ts'

test('a carrier is out of reach after five failures in a row that took a minute', () => {
  const few = watchReach()
  expect([0, 20_000, 40_000, 90_000].map((ms) => few.missed(ms))).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(few.missed(91_000)).toBe(true)

  const fast = watchReach()
  expect([0, 1, 2, 3, 4, 59_999].map((ms) => fast.missed(ms))).toEqual(new Array(6).fill(false))
  expect(fast.missed(60_000)).toBe(true)
  fast.reached()
  expect(fast.missed(60_001)).toBe(false)
})
