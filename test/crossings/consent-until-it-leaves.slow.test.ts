import { must } from '../support/server/server-with-devices.ts'
import { eachWay } from './each-way.ts'
import {
  finishJobs,
  handOut,
  hurry,
  nextNumber,
  nextWords,
  sendOne,
  startCrossings,
  storedText,
  textsTo,
} from './ways-in.ts'

// A person who says STOP gets no text any more: neither one that waits, nor a later one.

const at = await startCrossings()

test.each(eachWay('consent'))(
  'a text by $title does not leave after its person has texted STOP, and costs nothing',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = await sendOne(at, shop, way)
    await hurry(at, shop)
    await at.server.hear(shop.phone, [[text.to, 'STOP']])
    expect((await handOut(at, shop)).filter(({ to }) => to === text.to)).toEqual([])
    expect(await textsTo(at, shop, text.to)).toMatchObject([
      { status: 'failed', error: 'Recipient has opted out' },
    ])
    expect((await must(shop.user, 'GET', '/api/sms/usage')).used).toBe(0)
  },
)

test.each(eachWay('consent'))(
  'a person who has texted STOP gets no text by $title, except an answer to a word that joins',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = { to: nextNumber(), words: nextWords() }
    await at.server.hear(shop.phone, [[text.to, 'STOP']])
    const answer = await way.send(at, shop, text)
    if (way.prepare && way.isOwn) expect(answer.status).toBeLessThan(300)
    await finishJobs(at, shop)
    if (way.isOwnWish) {
      await storedText(at, shop, text.to)
      expect(await handOut(at, shop)).toMatchObject([{ to: text.to }])
      return
    }
    expect(await handOut(at, shop)).toEqual([])
    for (const { status } of await textsTo(at, shop, text.to)) expect(status).toBe('failed')
    const other = await sendOne(at, shop, way)
    expect((await handOut(at, shop)).map(({ to }) => to)).toEqual([other.to])
  },
)
