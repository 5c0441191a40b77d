import { expect, test } from 'vitest'
import { Semaphore } from '../../src/admission/semaphore.ts'

/** Work that waits until it is told to end, and a log of what began. */
function setUp(maxWaiting: number) {
  const places = new Semaphore('something', 1, maxWaiting)
  const began: string[] = []
  const ends: (() => void)[] = []
  const run = (name: string, holder: string, isPreferred = false) =>
    places.run(
      async () => {
        began.push(name)
        await new Promise<void>((resolve) => ends.push(resolve))
      },
      holder,
      isPreferred,
    )
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

test('preferred work goes first, its holders in turns, and every fourth place is for the rest', async () => {
  const { began, endNext, run } = setUp(10)
  const others = ['a1', 'a2', 'b1'].map((name) => run(name, name[0]!))
  const preferred = ['p1', 'p2', 'p3', 'q1', 'p4'].map((name) => run(name, name[0]!, true))
  const all = [...others, ...preferred]
  for (let i = 0; i < all.length; i++) await endNext()
  await Promise.all(all)
  expect(began).toEqual(['a1', 'p1', 'q1', 'p2', 'a2', 'p3', 'p4', 'b1'])
})

test('when it is full of other work, preferred work still has room', async () => {
  const { began, endNext, run } = setUp(1)
  const all = [run('a1', 'a'), run('b1', 'b'), run('p1', 'p', true)]
  await expect(run('c1', 'c')).rejects.toMatchObject({ status: 503 })
  for (let i = 0; i < 3; i++) await endNext()
  await Promise.all(all)
  expect(began).toEqual(['a1', 'p1', 'b1'])
})
