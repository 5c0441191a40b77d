import type { Store } from '../../../../src/engine/collections/catalog.ts'
import { makeAccountSender } from '../../../../src/gateway/base/make-sender.ts'
import { prepareOffer } from '../../../../src/gateway/messages/send/prepare-offer.ts'
import { ANY_LINE, PLAIN_OPTIONS } from '../../../../src/gateway/messages/send/send-options.ts'
import { startServerWithDevices } from '../../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const user = await server.makeUser()
await server.server.services.store.db.query(
  `insert into contacts (id, "user", phone, opted_out)
   select pb_new_id(), $1, '+49151100000' || i, i < 40 from generate_series(10, 69) i`,
  [user.id],
)

const phones = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `+49151100000${from + i}`)

// the rate grants nothing meanwhile
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const offer = (store: Store, user: string, recipients: string[]) => {
  const body = {
    recipients,
    groupIds: [],
    deviceId: '',
    line: ANY_LINE,
    content: { body: 'Hello' },
  }
  return prepareOffer(store, server.server.services.config, makeAccountSender(user, user), {
    ...body,
    options: PLAIN_OPTIONS,
  })
}

test('sends to many opted-out recipients are refused with 429 after a limit, other sends are not', async () => {
  const { store } = server.server.services
  const take = (from: number, to: number, who = user.id) => offer(store, who, phones(from, to))
  for (let i = 0; i < 3; i++) await take(40, 70)
  for (let i = 0; i < 67; i++) await take(10, 40)
  await expect(take(40, 70)).rejects.toMatchObject({ status: 429 })
  await take(10, 15)
  await take(10, 40, 'somebody else')
})

test('a send may cause at most 1,000 webhook calls about opted-out recipients', async () => {
  const { store } = server.server.services
  const owner = await server.makeUser()
  await store.db.query(
    `with hooks as (
       insert into webhooks (id, "user", url, events, enabled)
       select pb_new_id(), $1, 'http://127.0.0.1:9/' || i, array['message.failed'], i < 20 from generate_series(0, 24) i
     )
     insert into contacts (id, "user", phone, opted_out)
     select pb_new_id(), $1, '+4915200000' || i, true from generate_series(100, 200) i`,
    [owner.id],
  )
  const numbers = Array.from({ length: 101 }, (_, i) => `+4915200000${100 + i}`)
  await expect(offer(store, owner.id, numbers)).rejects.toThrow(
    '101 recipients have opted out or not given consent, and each causes 20 webhook calls',
  )
  for (let i = 0; i < 3; i++) await offer(store, owner.id, numbers.slice(0, 50))
  await expect(offer(store, owner.id, numbers.slice(0, 50))).rejects.toMatchObject({ status: 429 })
})
