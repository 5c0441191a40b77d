import { TestListener } from '../../engine/realtime/test-listener.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { openMmsServer, SMALL } from '../messages/send/mms-fixture.ts'

// Whether a line sends MMS is learnt from its device, and a device that does not say so gets none.

const server = await startServerWithDevices()
const { makeShop, sendForm, claim, findMessage } = openMmsServer(server)
const TO = '+4915112345678'

const findLine = async (user: Client) =>
  (await must(user, 'GET', '/api/collections/lines/records')).items[0]
const beat = (phone: Client, body: object) => must(phone, 'POST', '/api/devices/heartbeat', body)

test('a heartbeat says whether the device sends MMS, and subscribers see it', async () => {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  const listener = await TestListener.on(server.url, user.token, 'lines')
  const learnt: string[] = []
  for (const body of [
    { battery: 5 },
    { mms: true },
    { battery: 6 },
    { mms: true },
    { mms: false },
  ]) {
    expect(await beat(phone, body)).toEqual({ pending: 0 })
    learnt.push((await findLine(user)).mms)
  }
  expect(learnt).toEqual(['', 'on', 'on', 'on', ''])
  const seen = (await listener.next(2)).map(({ data }) => data.record.mms)
  expect(seen).toEqual(['on', ''])
})

test('a line whose owner forbids MMS stays without MMS', async () => {
  const { user, phone, line } = await makeShop()
  await must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'off' })
  for (const mms of [true, false]) {
    await beat(phone, { mms })
    expect((await findLine(user)).mms).toBe('off')
  }
})

test('a device that does not ask for MMS gets no text without its picture', async () => {
  const { user, phone: old } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: 'Look' }, [SMALL])
  const phone = await server.pair(user)
  await beat(phone, { mms: true })
  expect((await must(old, 'POST', '/api/devices/claim', { limit: 10 })).items).toEqual([])
  expect(await claim(phone)).toMatchObject([{ id: body.message_ids[0], attachments: [{}] }])
  const query = `filter=${encodeURIComponent(`message = "${body.message_ids[0]}"`)}`
  const { items } = await must(user, 'GET', `/api/collections/sms_events/records?${query}`)
  expect(items.map(({ detail }: { detail: string }) => detail)).toContain(
    'Not sent. This line cannot send MMS',
  )
  expect((await findMessage(user, body.message_ids[0])).status).toBe('sending')
})
