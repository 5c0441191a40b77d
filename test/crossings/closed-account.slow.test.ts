import { tablesWith } from '../support/database/dump.ts'
import { must } from '../support/server/server-with-devices.ts'
import { eachWay } from './each-way.ts'
import {
  finishJobs,
  handOut,
  hurry,
  isAccepted,
  nextNumber,
  nextWords,
  type Shop,
  sendOne,
  startCrossings,
  textsTo,
} from './ways-in.ts'

// Nothing leaves for an account that a superuser has disabled, and nothing of a deleted account is left.

const at = await startCrossings()
const { server } = at

const disable = ({ user }: Shop) =>
  must(server.superuser, 'POST', '/api/collections/user_settings/records', {
    user: user.id,
    disabled: true,
  })
/** The texts that wait of an account. */
const countOpen = async ({ user }: Shop) =>
  (await server.query('select from sms_dispatch where "user" = $1', [user.id])).length

/** The change log, from which the server deletes entries after minutes. */
const SHORT_LIVED = '_changes'

test.each(eachWay('closedAccount'))(
  'a disabled account sends nothing by $title',
  async ({ way }) => {
    const shop = await at.makeShop()
    await sendOne(at, shop, way)
    const after = { to: nextNumber(), words: nextWords() }
    const send = await (way.prepare?.(at, shop, after) ?? (() => way.send(at, shop, after)))
    await disable(shop)
    await hurry(at, shop)
    const claim = await shop.phone.call('POST', '/api/devices/claim', { mms: true })
    expect(claim.status).toBe(403)
    if (!way.hasLeft) expect(await countOpen(shop)).toBe(1)

    expect(isAccepted(await send())).toBe(false)
    await finishJobs(at, shop)
    expect(await textsTo(at, shop, after.to)).toEqual([])
  },
)

test.each(eachWay('deletedAccount'))(
  'of a text by $title nothing is left once its account is deleted',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = await sendOne(at, shop, way)
    const bodies = (await handOut(at, shop)).map(({ body }) => body)
    await must(server.superuser, 'DELETE', `/api/collections/users/records/${shop.user.id}`)
    const secrets = [text.to, text.words, ...bodies]
    const left = await tablesWith(server.server.services.store.db, secrets)
    expect(left.filter((table) => table !== SHORT_LIVED)).toEqual([])
  },
)
