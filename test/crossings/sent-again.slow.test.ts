import { must } from '../support/server/server-with-devices.ts'
import { until } from '../support/until.ts'
import { eachWay } from './each-way.ts'
import { handOut, sendOne, startCrossings, textsTo, WAYS } from './ways-in.ts'

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

test('a failed run of a repeating campaign is sent again once, and the repeat itself never', async () => {
  const shop = await at.makeShop()
  const { to } = await sendOne(at, shop, WAYS.recurring!)
  const [item] = await handOut(at, shop)
  await must(shop.phone, 'POST', '/api/devices/report', {
    items: [{ ...item, status: 'failed', error_message: 'No signal' }],
  })
  const campaigns = await at.query(
    `select id, run_of, status from campaigns where "user" = $1 order by run_of`,
    [shop.user.id],
  )
  const [[repeat], [run, of]] = campaigns as [[string], [string, string]]
  expect(of).toBe(repeat)
  await until('the end of the run', async () => {
    const [[status]] = (await at.query('select status from campaigns where id = $1', [run])) as [
      [string],
    ]
    return status === 'done'
  })
  const retry = (id: string) => shop.user.call('POST', `/api/campaigns/${id}/retry`, {})
  expect((await retry(repeat)).status).toBe(409)
  await Promise.all([retry(run), retry(run), retry(run)])
  await retry(run)
  expect(await handOut(at, shop)).toMatchObject([{ to, body: item!.body }])
  expect(await textsTo(at, shop, to)).toHaveLength(2)
})
