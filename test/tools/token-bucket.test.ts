import { expect, test } from 'vitest'
import { TokenBucket } from '../../src/admission/token-bucket.ts'

/** A bucket of 10 that gains 2 a second, on a clock that the test moves. */
function setUp() {
  let nowMs = 5_000
  const bucket = new TokenBucket({ burst: 10, perSecond: 2 }, () => nowMs)
  const wait = (seconds: number) => {
    nowMs += seconds * 1000
  }
  return { bucket, wait }
}

test('it starts full, and never holds more than its burst', () => {
  const { bucket, wait } = setUp()
  expect(bucket.isFull).toBe(true)
  wait(3_600)
  bucket.take(10)
  expect(bucket.isFull).toBe(false)
  expect(bucket.secondsUntil(0)).toBe(0)
  expect(bucket.secondsUntil(1)).toBe(0.5)
})

test('it gains tokens with time, until it is full', () => {
  const { bucket, wait } = setUp()
  bucket.take(6)
  expect(bucket.secondsUntil(4)).toBe(0)
  expect(bucket.secondsUntil(10)).toBe(3)
  wait(1)
  expect(bucket.secondsUntil(10)).toBe(2)
  wait(1.5)
  expect(bucket.isFull).toBe(false)
  wait(0.5)
  expect(bucket.isFull).toBe(true)
})

test('who overdraws it is in debt until the tokens are earned', () => {
  const { bucket, wait } = setUp()
  bucket.take(14)
  expect(bucket.secondsUntil(0)).toBe(2)
  bucket.take(1)
  expect(bucket.secondsUntil(0)).toBe(2.5)
  wait(2.5)
  expect(bucket.secondsUntil(0)).toBe(0)
  expect(bucket.secondsUntil(1)).toBe(0.5)
})
