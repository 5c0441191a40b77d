import { REASONS } from '../../../../src/gateway/base/message-status.ts'
import { stopPerson } from '../../../../src/gateway/people/erase-person.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// The files of a text that was refused or canceled are deleted; those of other texts stay.

const server = await startServerWithDevices()
const { makeShop, sendForm, claim, findMessage, countFiles, fetchLink } = openMmsServer(server)
const [TO, OUT] = ['+4915112345678', '+4915112345679']
const SOON = { timeout: 8_000, interval: 200 }
type Shop = Awaited<ReturnType<typeof makeShop>>

const send = async ({ user }: Shop, fields: object = {}) =>
  (await sendForm(user, { recipients: TO, body: 'Look', ...fields }, [SMALL, SMALL])).body
    .message_ids as string[]
const stop = ({ phone }: Shop, number: string) => server.hear(phone, [[number, 'STOP']])

test('a refused recipient gets no copy of the files, and the others get theirs', async () => {
  const shop = await makeShop()
  await stop(shop, OUT)
  const [out, to] = await send(shop, { recipients: [OUT, TO] })
  expect(await findMessage(shop.user, out!)).toMatchObject({
    status: 'failed',
    error_message: REASONS.optedOut,
    attachments: [],
  })
  expect(await countFiles(shop.user)).toBe(2)
  const [claimed] = await claim(shop.phone)
  expect(claimed.id).toBe(to)
  expect(await fetchLink(claimed.attachments[0].url)).toEqual(SMALL)
})

test.each([
  [
    'its message',
    async ({ user }: Shop, [id]: string[]) =>
      must(user, 'POST', `/api/sms/messages/${id}/cancel`, {}),
  ],
  [
    'its batch',
    async ({ user }: Shop, [id]: string[]) => {
      const { batch_id } = await findMessage(user, id!)
      return must(user, 'POST', `/api/sms/batches/${batch_id}/cancel`, {})
    },
  ],
  ['an opt-out', async (shop: Shop) => Promise.all([TO, OUT].map((one) => stop(shop, one)))],
  [
    'an opt-out in the contact',
    async ({ user }: Shop) => {
      for (const phone of [TO, OUT])
        await must(user, 'POST', '/api/collections/contacts/records', {
          user: user.id,
          phone,
          opted_out: true,
        })
    },
  ],
] as const)('an MMS that %s cancels loses its files', async (_, cancel) => {
  const shop = await makeShop()
  const recipients = _ === 'its message' ? [TO] : [TO, OUT]
  const ids = await send(shop, { recipients, scheduled_at: '2099-01-01T00:00:00Z' })
  expect(await countFiles(shop.user)).toBe(2 * ids.length)
  await cancel(shop, ids)
  await expect.poll(() => countFiles(shop.user), SOON).toBe(0)
  for (const id of ids)
    expect(await findMessage(shop.user, id)).toMatchObject({ status: 'failed', attachments: [] })
})

const report = async ({ phone }: Shop, how: object) => {
  const [{ id, attempt }] = await claim(phone)
  return () =>
    must(phone, 'POST', '/api/devices/report', {
      items: [{ id, attempt, status: 'failed', error_message: 'No room', ...how }],
    })
}
test.each([
  [
    'forbidden destinations',
    async (shop: Shop) => {
      await must(shop.user, 'POST', '/api/collections/user_settings/records', {
        user: shop.user.id,
      }).catch(() => {})
      await server.query(`update user_settings set destinations = '+44' where "user" = $1`, [
        shop.user.id,
      ])
      expect(await claim(shop.phone)).toEqual([])
    },
  ],
  [
    'the stop list of erased people',
    async ({ user, phone }: Shop) => {
      await stopPerson(server.server.services.store.db, { user: user.id, number: TO })
      expect(await claim(phone)).toEqual([])
    },
  ],
  [
    'an opt-out while a phone had it',
    async (shop: Shop) => {
      const giveBack = await report(shop, { not_sent: true })
      await stop(shop, TO)
      await giveBack()
    },
  ],
  [
    'a cancellation while a phone had it',
    async (shop: Shop, id: string) => {
      const giveBack = await report(shop, { not_sent: true })
      await must(shop.user, 'POST', `/api/sms/messages/${id}/cancel`, {}).catch(() => {})
      await giveBack()
    },
  ],
  [
    'a cancellation on the phone',
    async (shop: Shop) => (await report(shop, { error_message: REASONS.canceledOnPhone }))(),
  ],
] as const)('an MMS loses its files after %s', async (_, end) => {
  const shop = await makeShop()
  const [id] = await send(shop)
  await end(shop, id!)
  await expect.poll(() => countFiles(shop.user), SOON).toBe(0)
  expect(await findMessage(shop.user, id!)).toMatchObject({ status: 'failed', attachments: [] })
})

test('an MMS that a phone could not send keeps its files for a retry', async () => {
  const shop = await makeShop()
  const [id] = await send(shop)
  const [{ attempt }] = await claim(shop.phone)
  const items = [{ id, attempt, status: 'failed', error_message: 'No room' }]
  await must(shop.phone, 'POST', '/api/devices/report', { items })
  expect(await countFiles(shop.user)).toBe(2)
  await must(shop.user, 'POST', `/api/sms/messages/${id}/retry`, {})
  expect(await countFiles(shop.user)).toBe(4)
})

test('a canceled MMS is not sent again without its files', async () => {
  const shop = await makeShop()
  const [id] = await send(shop, { scheduled_at: '2099-01-01T00:00:00Z' })
  await must(shop.user, 'POST', `/api/sms/messages/${id}/cancel`, {})
  expect(await shop.user.call('POST', `/api/sms/messages/${id}/retry`, {})).toMatchObject({
    status: 409,
    body: { error: 'not_retriable' },
  })
})

test('a text that was sent with links loses them when it is canceled', async () => {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  const fields = {
    recipients: TO,
    body: 'Look',
    mms: 'or_link',
    scheduled_at: '2099-01-01T00:00:00Z',
  }
  const { body } = await sendForm(user, fields, [SMALL])
  const text = await findMessage(user, body.message_ids[0])
  const link = text.body.replace('Look ', '')
  expect(phone.id).not.toBe('')
  expect(await fetchLink(link)).toEqual(SMALL)
  await must(user, 'POST', `/api/sms/messages/${text.id}/cancel`, {})
  expect(await countFiles(user)).toBe(0)
  expect((await fetch(server.url + new URL(link).pathname)).status).toBe(404)
})
