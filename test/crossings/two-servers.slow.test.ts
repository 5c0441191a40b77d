import { createLogger } from '../../src/platform/log.ts'
import { runServer } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { client, withDevices } from '../support/server/server-with-devices.ts'
import { until } from '../support/until.ts'
import { eachWay } from './each-way.ts'
import { hurry, openCrossings, type Shop, sendOne, startCrossings, textsTo } from './ways-in.ts'

// Two servers on one database: whichever of them takes a text, either hands it out, once for both.

const one = await startCrossings()
const smtpPort = await freePort()
const node = await runServer(
  { ...one.server.server.services.config, smtpPort },
  createLogger({ logLevel: 'silent' }),
)
const two = await openCrossings(await withDevices(node), smtpPort)

/** Somebody of the shop, at the second server. */
const atTwo = ({ id, token }: Shop['phone']) => client(two.url, id, token)
/** The shop whose people and phone ask the second server. */
const shopAtTwo = (shop: Shop): Shop => ({
  ...shop,
  user: { ...atTwo(shop.user), email: shop.user.email },
  phone: atTwo(shop.phone),
})
/** The second server, which gets the first part of a text in parts; the first server gets the others. */
const besideOne = { ...two, beside: one.url }

test.each(eachWay('twoServers'))(
  'a text by $title that one of two servers takes is handed out once by both',
  async ({ way }) => {
    const shop = await one.makeShop()
    const typedAt = new Date().toISOString()
    const first = await sendOne(besideOne, shopAtTwo(shop), way, { typedAt })
    // a phone that got no answer reports what was typed to whichever server answers
    if (way.hasLeft) {
      const again = () =>
        [one, two].map((at, i) => way.send(at, i ? shopAtTwo(shop) : shop, { ...first, typedAt }))
      for (const { status } of await Promise.all([...again(), ...again()]))
        expect(status).toBeLessThan(300)
    }
    const got: string[] = []
    await until('the text at a phone', async () => {
      await hurry(one, shop)
      const claims = await Promise.all(
        [shop.phone, atTwo(shop.phone), shop.phone, atTwo(shop.phone)].map((phone) =>
          phone.call('POST', '/api/devices/claim', { mms: true }),
        ),
      )
      for (const { body } of claims) for (const { id } of body.items ?? []) got.push(id)
      return got.length > 0 || way.hasLeft
    })
    // claims at once may repeat what one of them has just got, as for a lost answer: one attempt of one text
    expect(new Set(got)).toEqual(new Set(way.hasLeft ? [] : [first.stored.id]))
    const [[attempt]] = (await one.query(
      `select coalesce(max(attempt), 0) from sms_dispatch where message = $1`,
      [first.stored.id],
    )) as [[number]]
    expect(Number(attempt)).toBe(way.hasLeft ? 0 : 1)
    expect(await textsTo(one, shop, first.to)).toHaveLength(1)
  },
)
