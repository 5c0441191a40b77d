import { expect, test } from 'vitest'
import { AnswerRoom, type Hold } from '../../../src/http/body/answer-room.ts'

const MIB = 1 << 20
const limits = { totalBytes: 64 * MIB, shareBytes: 32 * MIB, patienceMs: 200, graceMs: 0 }

/** A room, and what was cut off in it. */
function openRoom(more: Partial<typeof limits> = {}) {
  const room = new AnswerRoom({ ...limits, ...more })
  const cut: string[] = []
  const open = (holder: string, name = holder): Hold => room.open(holder, () => cut.push(name))
  /** An answer that is being sent, and not read. */
  const unread = (holder: string, mebibytes: number, name = holder): Hold => {
    const hold = open(holder, name)
    expect(hold.tryTake(mebibytes * MIB)).toBe(true)
    hold.startSending()
    return hold
  }
  return { room, cut, open, unread }
}

test('nobody holds more than a share, all together not more than the total', () => {
  const { room, open, unread } = openRoom()
  unread('ann', 20)
  expect(open('ann').tryTake(20 * MIB)).toBe(false)
  unread('ben', 32)
  expect(open('cleo').tryTake(20 * MIB)).toBe(false)
  expect(open('cleo').tryTake(12 * MIB)).toBe(true)
  expect(room.taken).toBe(64 * MIB)
})

test('the first mebibyte of a holder is there when the rest is taken', () => {
  const { open, unread } = openRoom()
  unread('ann', 32)
  unread('ben', 32)
  const first = open('cleo')
  expect([first.tryTake(MIB), first.tryTake(2 * MIB), open('cleo').tryTake(1)]).toEqual([true, false, false])
})

test('a hold that grows keeps what it has, one that is released gives it back once', () => {
  const { room, open } = openRoom()
  const hold = open('ann')
  expect([hold.tryTake(2 * MIB), hold.tryTake(8 * MIB), hold.tryTake(5 * MIB)]).toEqual([true, true, true])
  expect(room.taken).toBe(5 * MIB)
  hold.release()
  hold.release()
  expect([room.taken, hold.tryTake(MIB)]).toEqual([0, false])
})

test('who waits gets the room when it is free, who holds least first', async () => {
  const { open, unread } = openRoom({ graceMs: 60_000, patienceMs: 5_000 })
  const [a, b] = [unread('ann', 32), unread('ben', 30)]
  unread('cleo', 2)
  const order: string[] = []
  const more = open('cleo').take(30 * MIB)
  const dora = open('dora')
  const other = dora.take(32 * MIB).then(() => order.push('dora'))
  const second = more.then(() => order.push('cleo'))
  b.release()
  a.release()
  await Promise.race([other, second])
  expect(order[0]).toBe('dora')
  dora.release()
  await Promise.all([other, second])
})

test('an account waits for its own answers, then is told so', async () => {
  const { cut, open, unread } = openRoom()
  unread('ann', 32)
  await expect(open('ann').take(10 * MIB)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 10 })
  expect(cut).toEqual([])
})

test('when others hold everything and are made just now, it is a 503', async () => {
  const { open } = openRoom()
  for (const holder of ['ann', 'ben']) expect(open(holder).tryTake(32 * MIB)).toBe(true)
  await expect(open('cleo').take(10 * MIB)).rejects.toMatchObject({ status: 503 })
})

test('while somebody waits, the oldest answer of who holds most is cut off', async () => {
  const { cut, open, unread } = openRoom({ patienceMs: 5_000 })
  unread('ann', 32)
  unread('ben', 20, 'old')
  unread('ben', 8, 'new')
  await open('cleo').take(30 * MIB)
  expect(cut).toEqual(['ann'])
})

test('what has to be sent makes older answers of its holder give way', () => {
  const { room, cut, open, unread } = openRoom()
  unread('ann', 20, 'first')
  unread('ann', 12, 'second')
  open('ann', 'third').force(5 * MIB)
  expect([cut, room.taken]).toEqual([['first'], 17 * MIB])
})
