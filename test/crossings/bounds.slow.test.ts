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

// What an API key, an account and a quota allow, whichever way a text takes.

const at = await startCrossings()

/** Changes the keys of the account. Twilio's keys have all scopes or none. */
async function changeKeys({ user, keyId }: Shop, values: Bound) {
  const { items } = await must(user, 'GET', '/api/collections/api_keys/records')
  for (const { id } of items)
    if (id === keyId || !values.scopes)
      await must(user, 'PATCH', `/api/collections/api_keys/records/${id}`, values)
}
interface Bound {
  readonly destinations?: string
  readonly expires_at?: string
  readonly disabled?: boolean
  readonly lines?: readonly string[]
  readonly scopes?: readonly string[]
}

/** The account with another phone, which has another line. */
async function addPhone(shop: Shop): Promise<Shop> {
  const phone = await at.server.pair(shop.user, { phone: '+4930123457' })
  const { items } = await must(shop.user, 'GET', '/api/collections/lines/records')
  const { id: line } = items.find(({ id }: { id: string }) => id !== shop.line)
  await must(shop.user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'on' })
  return { ...shop, phone, line }
}

const newText = () => ({ to: nextNumber(), words: nextWords() })

test.each(eachWay('keyBounds'))(
  'a text by $title is refused to a key that may not send it',
  async ({ way }) => {
    const shop = await at.makeShop()
    const bounds: Readonly<Record<string, Bound>> = {
      'other destinations': { destinations: '+44' },
      'an end in the past': { destinations: '', expires_at: '2020-01-01 00:00:00.000Z' },
      'a disabled key': { expires_at: '', disabled: true },
      ...(!way.isOfTwilio && {
        'no scope of sending': { disabled: false, scopes: ['inbox:list'] },
      }),
    }
    for (const [bound, values] of Object.entries(bounds)) {
      await changeKeys(shop, values)
      const text = newText()
      expect([bound, isAccepted(await way.send(at, shop, text))]).toEqual([bound, false])
      expect(await textsTo(at, shop, text.to)).toEqual([])
    }
    await changeKeys(shop, { disabled: false })
    await changeKeys(shop, { scopes: ['all:any'] })
    const second = await addPhone(shop)
    for (const [own, other] of [
      [shop, second],
      [second, shop],
    ] as const) {
      await changeKeys(shop, { lines: [own.line] })
      const { to } = await sendOne(at, own, way)
      await hurry(at, shop)
      const { items = [] } = await must(other.phone, 'POST', '/api/devices/claim', { mms: true })
      expect(items.map((one: { to: string }) => one.to)).not.toContain(to)
      expect((await handOut(at, own)).map((one) => one.to)).toContain(to)
    }
  },
)

test.each(eachWay('accountBounds'))(
  'a text by $title to a number outside the account’s destinations does not leave',
  async ({ way }) => {
    const shop = await at.makeShop()
    const settings = '/api/collections/user_settings/records'
    const values = { user: shop.user.id, destinations: '+49' }
    const { id } = await must(shop.user, 'POST', settings, values)
    const allowed = await sendOne(at, shop, way)
    expect((await handOut(at, shop)).map(({ to }) => to)).toEqual([allowed.to])

    await must(shop.user, 'PATCH', `${settings}/${id}`, { destinations: '+44' })
    const text = newText()
    const answer = await way.send(at, shop, text)
    if (way.prepare && way.isOwn) expect(answer.status).toBeLessThan(300)
    if (!way.isOwn) expect([isAccepted(answer), answer]).toEqual([false, expect.anything()])
    await finishJobs(at, shop)
    expect((await handOut(at, shop)).filter(({ to }) => to === text.to)).toEqual([])
    for (const { status } of await textsTo(at, shop, text.to)) expect(status).toBe('failed')
    expect((await must(shop.user, 'GET', '/api/sms/usage')).used).toBe(1)
  },
)

test.each(eachWay('money'))('a text by $title beyond the quota does not leave', async ({ way }) => {
  const shop = await at.makeShop()
  await must(at.server.superuser, 'PATCH', `/api/collections/users/records/${shop.user.id}`, {
    monthly_quota: 1,
  })
  const first = await sendOne(at, shop, way)
  const second = newText()
  const answer = await way.send(at, shop, second)
  if (!way.isOwn) expect(isAccepted(answer)).toBe(false)
  await finishJobs(at, shop)
  const got = (await handOut(at, shop)).map(({ to }) => to)
  expect(got).toEqual([first.to])
  for (const { status } of await textsTo(at, shop, second.to)) expect(status).toBe('failed')
  expect((await must(shop.user, 'GET', '/api/sms/usage')).used).toBe(1)
})
