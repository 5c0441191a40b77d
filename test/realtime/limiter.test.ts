import { expect, test } from 'vitest'
import { Owner } from '../../src/realtime/clients/owner.ts'
import { Limiter } from '../../src/realtime/deliver/limiter.ts'
import { BUDGETS } from '../../src/realtime/limits/budgets.ts'
import { openTestStore } from '../support/database/queue.ts'

test('the work of slow owners takes one place, and goes behind all other', async () => {
  const { store, close } = await openTestStore()
  const limiter = new Limiter(store)
  const [slow, quick] = [new Owner('slow', false, BUDGETS), new Owner('quick', false, BUDGETS)]
  slow.noteWork(1_000, true)
  const began: string[] = []
  const ends: (() => void)[] = []
  const run = (name: string, owner: Owner) =>
    limiter.run(owner, () => {
      began.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const hasBegun = (count: number) => expect.poll(() => began.length, { timeout: 10_000 }).toBe(count)

  const all = [run('slow 1', slow)]
  await hasBegun(1)
  all.push(run('slow 2', slow), run('quick 1', quick), run('quick 2', quick), run('quick 3', quick))
  for (let i = 0; i < all.length; i++) {
    await hasBegun(Math.min(all.length, i + 2))
    ends[i]!()
  }
  await Promise.all(all)
  await close()
  expect(began).toEqual(['slow 1', 'quick 1', 'quick 2', 'quick 3', 'slow 2'])
})
