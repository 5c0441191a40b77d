import { tablesWith } from '../support/database/dump.ts'
import { must } from '../support/server/server-with-devices.ts'
import { isTried } from '../support/tries-all.ts'
import { until } from '../support/until.ts'
import { eachWay } from './each-way.ts'
import { finishJobs, handOut, nextWords, sendOne, startCrossings, textsTo } from './ways-in.ts'

// Whichever way a text came by: after an erasure no table has a word of it, and its person gets none again.

const at = await startCrossings()
const { db } = at.server.server.services.store

/** The change log, from which the server deletes entries after minutes. */
const SHORT_LIVED = '_changes'

/** Each way, with whether its text has left: on a landing one of both, of the next way the other. */
const STATES = eachWay('erased').map((each, row) => ({
  ...each,
  states: [false, true].filter((_, column) => isTried(row, column)),
}))

test.each(STATES)(
  'of a text by $title nothing is left once its person is erased, whether it waits or has left',
  async ({ way, states }) => {
    for (const hasLeft of states) {
      const shop = await at.makeShop()
      const text = await sendOne(at, shop, way)
      const bodies = hasLeft ? (await handOut(at, shop)).map(({ body }) => body) : []
      const { id } = await must(shop.user, 'POST', '/api/person/erase', {
        number: text.to,
        reason: 'Asked by mail',
      })
      await until('the end of the erasure', async () => {
        const path = `/api/collections/person_requests/records/${id}`
        return (await must(shop.user, 'GET', path)).state === 'done'
      })
      const isKept = (table: string) => table === SHORT_LIVED || table === way.wordsStayIn
      const left = async (secrets: readonly string[]) =>
        (await tablesWith(db, secrets)).filter((table) => !isKept(table))
      const number = [text.to, text.to.slice(1)]
      expect(await left([...number, text.words, ...bodies])).toEqual([])

      const words = nextWords()
      const answer = await way.send(at, shop, { to: text.to, words })
      if (way.prepare && way.isOwn) expect(answer.status).toBeLessThan(300)
      await finishJobs(at, shop)
      expect(await handOut(at, shop)).toEqual([])
      expect(await left([text.words, ...bodies])).toEqual([])
      // whoever asks for a text again has its record, which says that it was not sent
      for (const { status } of await textsTo(at, shop, text.to))
        expect(status).toBe(way.hasLeft ? 'sent' : 'failed')
    }
  },
)
