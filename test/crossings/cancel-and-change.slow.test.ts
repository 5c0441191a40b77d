import { must } from '../support/server/server-with-devices.ts'
import { eachWay } from './each-way.ts'
import { handOut, nextWords, type Shop, sendOne, startCrossings, textsTo } from './ways-in.ts'

// A text that has not left yet can be canceled and changed by its account, whichever way it came by.

const at = await startCrossings()

const readUsed = async ({ user }: Shop) => (await must(user, 'GET', '/api/sms/usage')).used

const setDailyLimit = ({ user, line }: Shop, daily_limit: number) =>
  must(user, 'PATCH', `/api/collections/lines/records/${line}`, { daily_limit })

test.each(eachWay('cancel'))(
  'a text by $title that is canceled does not leave, and costs nothing',
  async ({ way }) => {
    const shop = await at.makeShop()
    const { to, stored } = await sendOne(at, shop, way)
    expect(await readUsed(shop)).toBe(1)
    await must(shop.user, 'POST', `/api/sms/messages/${stored.id}/cancel`, {})
    expect(await handOut(at, shop)).toEqual([])
    expect(await textsTo(at, shop, to)).toMatchObject([{ status: 'failed', error: 'Canceled' }])
    expect(await readUsed(shop)).toBe(0)
  },
)

test.each(eachWay('change'))(
  'a text by $title that waits leaves with the words that its account gave it last',
  async ({ way }) => {
    const shop = await at.makeShop()
    // a text leaves by the line today: the next one waits
    await setDailyLimit(shop, 1)
    await sendOne(at, shop, way)
    await handOut(at, shop)
    const { to, stored } = await sendOne(at, shop, way)
    const words = nextWords()
    await must(shop.user, 'PATCH', `/api/sms/messages/${stored.id}`, { body: words })
    await setDailyLimit(shop, 0)
    const items = (await handOut(at, shop)).filter((one) => one.to === to)
    expect(items).toMatchObject([{ body: expect.stringContaining(words) }])
  },
)
