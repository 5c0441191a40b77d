import { must } from '../support/server/server-with-devices.ts'
import { eachWay } from './each-way.ts'
import { handOut, sendOne, startCrossings, textsTo } from './ways-in.ts'

// A failed text is sent again once, however often that is asked for.

const at = await startCrossings()

test.each(eachWay('onceAgain'))(
  'a failed text by $title is sent again once, as it was',
  async ({ way }) => {
    const shop = await at.makeShop()
    const { to, stored } = await sendOne(at, shop, way)
    const [item] = await handOut(at, shop)
    await must(shop.phone, 'POST', '/api/devices/report', {
      items: [{ ...item, status: 'failed', error_message: 'No signal' }],
    })
    const retry = () => shop.user.call('POST', `/api/sms/messages/${stored.id}/retry`, {})
    await Promise.all([retry(), retry(), retry()])
    expect((await retry()).status).toBe(200)
    const [again, ...more] = await handOut(at, shop)
    expect(more).toEqual([])
    expect(again).toMatchObject({ to })
    const links = /https:\S+/g
    expect(again!.body.replace(links, 'LINK')).toBe(item!.body.replace(links, 'LINK'))
    expect('attachments' in again!).toBe('attachments' in item!)
    expect(await textsTo(at, shop, to)).toHaveLength(2)
  },
)
