import { createLogger } from '../../../../../src/platform/log.ts'
import { waitPastMidnight } from '../../../../support/database/midnight.ts'
import { runServer } from '../../../../support/database/open.ts'
import {
  type Client,
  client,
  must,
  startServerWithDevices,
} from '../../../../support/server/server-with-devices.ts'
import { until } from '../../../../support/until.ts'

await waitPastMidnight({ isMonth: true })
// Another account of the same server is the carrier.
const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const second = await runServer(gateway.server.services.config, createLogger({ logLevel: 'silent' }))

const records = '/api/collections'
/** The same user or phone, at the second server. */
const atSecond = ({ id, token }: Client) => client(second.url, id, token)
const claim = async (phone: Client): Promise<string[]> => {
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 50 })
  if (items.length > 0)
    await must(phone, 'POST', '/api/devices/report', {
      items: items.map(({ id, attempt }: { id: string; attempt: number }) => ({
        id,
        attempt,
        status: 'sent',
      })),
    })
  return items.map(({ body }: { body: string }) => body)
}

test('on a Friday two phones die: a carrier of two servers sends within its budget until a phone is back', async () => {
  const upstream = await gateway.makeUser()
  const radio = await gateway.pair(upstream)
  const named = { user: upstream.id, name: 'carrier' }
  const { key } = await must(upstream, 'POST', `${records}/api_keys/records`, named)

  const user = await gateway.makeUser()
  const settings = { user: user.id, failover_minutes: 15, failover_priority: 5, currency: 'EUR' }
  await must(user, 'POST', `${records}/user_settings/records`, settings)
  const phones = [await gateway.pair(user), atSecond(await gateway.pair(user))]
  const account = { preset: 'pocketsms', url: gateway.url, rate: 100 }
  const { device } = await must(user, 'POST', '/api/devices/carriers', {
    account,
    ready: true,
    secret: key,
  })
  const filter = encodeURIComponent(`device = "${device}"`)
  const [line] = (await must(user, 'GET', `${records}/lines/records?filter=${filter}`)).items
  const priced = { prices: { default: '0.08' }, monthly_budget: '0.41' }
  await must(user, 'PATCH', `${records}/lines/records/${line.id}`, priced)

  /** Sends a text for each body, at both servers at the same time. */
  const sendTexts = (bodies: readonly string[], more: object = {}) =>
    Promise.all(
      bodies.map((body, i) =>
        must(i % 2 ? atSecond(user) : user, 'POST', '/api/sms/send', {
          recipients: ['+4915112345678'],
          body,
          ...more,
        }),
      ),
    )
  /** The phones were last seen so many minutes ago. */
  const die = (minutes: number) =>
    gateway.query(
      `update devices set last_seen = pb_text(now() - $2 * interval '1 minute') where id = any($1)`,
      [phones.map(({ id }) => id), minutes],
    )
  const look = () =>
    gateway.query(
      `update sms_dispatch set due_at = now() where "user" = $1 and state = 'pending'`,
      [user.id],
    )
  const costs = async () => (await must(user, 'GET', '/api/sms/usage/lines')).items
  const sent: string[] = []
  const radioSends = (count: number) =>
    until(`the carrier sends ${count} texts`, async () => {
      sent.push(...(await claim(radio)))
      return sent.length >= count
    })

  await sendTexts(['1', '2', '3', '4'], { priority: 9 })
  const mine = [...(await claim(phones[0]!)), ...(await claim(phones[1]!))]
  expect(mine.toSorted()).toEqual(['1', '2', '3', '4'])

  await die(12)
  const waiting = ['a', 'b', 'c', 'd', 'e']
  await sendTexts(waiting)
  await sendTexts(['x', 'y', 'z'], { priority: 5 })
  const { estimate } = await must(user, 'POST', '/api/sms/preview', {
    recipients: ['+4915112345678'],
    body: 'q',
  })
  expect(estimate).toEqual({ currency: 'EUR', lines: [], waiting: 1 })
  await radioSends(3)
  expect(sent.toSorted()).toEqual(['x', 'y', 'z'])

  await die(16)
  await look()
  await radioSends(5)
  await until('the rest waits for the next month', async () => {
    const rows = await gateway.query(
      `select count(*) from sms_dispatch where "user" = $1 and state = 'pending' and due_at > now() + interval '2 minutes'`,
      [user.id],
    )
    return Number(rows[0]![0]) === 3
  })
  expect(await costs()).toMatchObject([{ line: line.id, texts: 5, cost: '0.40' }])

  const late = await until('a phone is back and gets the rest', async () => {
    sent.push(...(await claim(phones[0]!)))
    return sent.length >= 8 && sent
  })
  expect(late.toSorted()).toEqual([...waiting, 'x', 'y', 'z'])
  expect(await claim(radio)).toEqual([])
  expect(await costs()).toMatchObject([{ texts: 5, cost: '0.40' }])
  const statuses = `select status, count(*)::int from sms_messages where "user" = $1 group by 1`
  await until(
    'each text is sent',
    async () => (await gateway.query(statuses, [user.id])).length === 1,
  )
  expect(await gateway.query(statuses, [user.id])).toEqual([['sent', 12]])
})
