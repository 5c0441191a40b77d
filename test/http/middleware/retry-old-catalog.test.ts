import { expect, test } from 'vitest'
import { saveCollection } from '../../../src/collections/catalog/save.ts'
import type { BaseCollection } from '../../../src/collections/collection.ts'
import { withCatalog } from '../../../src/http/retry.ts'
import { openStore, type TestStore } from '../../support/database/open.ts'
import { openPreparedDb } from '../../support/server/start.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const db = stopAfterAll(await openPreparedDb())
const here = stopAfterAll(await openStore(db))
const elsewhere = stopAfterAll(await openStore(db))

/** What `store` does not know yet. */
const change = (store: TestStore, listRule: string) =>
  store.change(async (draft) => {
    const contacts = draft.catalog.find('contacts') as BaseCollection
    await saveCollection(draft, { ...contacts, listRule })
  })
const misfit = () => db.query('select nowhere from contacts')

/** Something that is overtaken by a change so many times; how often it was tried. */
function overtaken(times: number, fail: () => Promise<unknown>): () => Promise<number> {
  let tries = 0
  return async () => {
    if (tries++ < times) {
      await change(elsewhere, `name = "${times} ${tries} ${Math.random()}"`)
      await fail()
    }
    return tries
  }
}

test.each([0, 1, 4])(
  'what %i changes have overtaken, one after the other, is done at last',
  async (times) => {
    expect(await withCatalog(here, overtaken(times, misfit))).toBe(times + 1)
  },
)

test.each([0, 1, 4])('what has read a part, before each of %i changes, reads all of it', async (times) => {
  const read = overtaken(times, () => misfit().catch(() => {}))
  expect(await withCatalog(here, read, { isRead: true })).toBe(times + 1)
})

test('what fits no collections, old or new, fails at once', async () => {
  let tries = 0
  const work = () => {
    tries++
    return misfit()
  }
  await expect(withCatalog(here, work)).rejects.toThrow('nowhere')
  expect(tries).toBe(1)
})
