import { tablesWith } from '../support/database/dump.ts'
import { must } from '../support/server/server-with-devices.ts'
import { until } from '../support/until.ts'
import { eachWay } from './each-way.ts'
import { finishJobs, handOut, nextWords, sendOne, startCrossings } from './ways-in.ts'

// Whichever way a text came by: after an erasure no table has a word of it, and its person gets none again.

const at = await startCrossings()
const { db } = at.server.server.services.store

/** The change log, from which the server deletes entries after minutes. */
const SHORT_LIVED = '_changes'

test.each(eachWay('erased'))(
  'of a text by $title nothing is left once its person is erased, whether it waits or has left',
  async ({ way }) => {
    for (const hasLeft of [false, true]) {
      const shop = await at.makeShop()
      const text = await sendOne(at, shop, way)
      if (hasLeft) await handOut(at, shop)
      const { id } = await must(shop.user, 'POST', '/api/person/erase', {
        number: text.to,
        reason: 'Asked by mail',
      })
      await until('the end of the erasure', async () => {
        const path = `/api/collections/person_requests/records/${id}`
        return (await must(shop.user, 'GET', path)).state === 'done'
      })
      const left = await tablesWith(db, [text.to, text.to.slice(1), text.words])
      const isKept = (table: string) => table === SHORT_LIVED || table === way.wordsStayIn
      expect(left.filter((table) => !isKept(table))).toEqual([])
      await way.send(at, shop, { to: text.to, words: nextWords() })
      await finishJobs(at, shop)
      const got = await handOut(at, shop)
      expect(got.filter(({ to }) => to === text.to)).toEqual([])
    }
  },
)
