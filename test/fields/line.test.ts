import { expect, test } from 'vitest'
import { Line } from '../../src/fields/line.ts'

/** Work that waits until it is told to end, and a log of what began. */
function setUp(maxWaiting: number) {
  const line = new Line(1, maxWaiting)
  const began: string[] = []
  const ends: (() => void)[] = []
  const run = (name: string, holder: string) =>
    line.run(async () => {
      began.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
    }, holder)
  const endNext = async () => {
    await new Promise(setImmediate)
    ends.shift()!()
  }
  return { began, endNext, run }
}

test('holders take turns, however many of one wait', async () => {
  const { began, endNext, run } = setUp(10)
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((name) => run(name, name[0]!))
  for (let i = 0; i < all.length; i++) await endNext()
  await Promise.all(all)
  expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('when it is full, the holder with the most loses its last place; with no such holder, whoever comes', async () => {
  const { began, endNext, run } = setUp(3)
  const first = run('a0', 'a')
  const waiting = ['a1', 'a2', 'a3'].map((name) => run(name, 'a'))
  const lost = expect(waiting[2]).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 })
  const late = run('b1', 'b')
  await lost
  await expect(run('a4', 'a')).rejects.toMatchObject({ status: 503 })
  for (let i = 0; i < 4; i++) await endNext()
  await Promise.all([first, waiting[0], waiting[1], late])
  expect(began).toEqual(['a0', 'a1', 'b1', 'a2'])
})
