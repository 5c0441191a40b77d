import { must } from '../support/server/server-with-devices.ts'
import { eachWay } from './each-way.ts'
import { handOut, type Shop, sendOne, startCrossings, textsTo } from './ways-in.ts'

// The status of a text is what its phone has reported, no more and no less.

const at = await startCrossings()

const report = ({ phone }: Shop, item: { id: string; attempt: number }, more: object) =>
  must(phone, 'POST', '/api/devices/report', { items: [{ ...item, ...more }] })

test.each(eachWay('status'))(
  'a text by $title has the status that its phone reports',
  async ({ way }) => {
    const shop = await at.makeShop()
    const texts = [await sendOne(at, shop, way), await sendOne(at, shop, way)]
    const statusOf = async ({ to }: { to: string }) =>
      (await textsTo(at, shop, to)).map(({ status, error }) => `${status} ${error}`.trim())
    const items = await handOut(at, shop)
    const [first, second] = texts.map(({ to }) => items.find((item) => item.to === to)!)
    await report(shop, { ...first!, attempt: first!.attempt + 1 }, { status: 'sent' })
    expect(await statusOf(texts[0]!)).toEqual(['sending'])
    await report(shop, first!, { status: 'sent' })
    expect(await statusOf(texts[0]!)).toEqual(['sent'])
    await report(shop, first!, { status: 'delivered' })
    await report(shop, first!, { status: 'sent' })
    expect(await statusOf(texts[0]!)).toEqual(['delivered'])
    expect(await statusOf(texts[1]!)).toEqual(['sending'])
    await report(shop, second!, { status: 'failed', error_message: 'No signal' })
    expect(await statusOf(texts[1]!)).toEqual(['failed No signal'])
    await report(shop, second!, { status: 'delivered' })
    expect(await statusOf(texts[1]!)).toEqual(['failed No signal'])
  },
)
