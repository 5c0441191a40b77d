import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Texts that the owner of a phone wrote and sent on the phone itself.

const ZOE = '+4915112345678'
const RECORDS = '/api/collections'

const server = await startServerWithDevices()
const user = await server.makeUser()
const phone = await server.pair(user, { phone: '+4930123' })

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 7, 0, second)).toISOString()
const hear = async (body: string, second: number) => {
  const items = [{ from: ZOE, body, received_at: at(second) }]
  expect((await phone.call('POST', '/api/devices/incoming', { items })).status).toBe(200)
}
const type = async (body: string, second: number, to = ZOE) => {
  const items = [{ to, body, sent_at: at(second) }]
  expect((await phone.call('POST', '/api/devices/typed', { items })).status).toBe(204)
}
const list = async (collection: string, filter = '') => {
  const query = `?sort=created&filter=${encodeURIComponent(filter)}`
  return (await user.call('GET', `${RECORDS}/${collection}/records${query}`)).body.items
}
const typed = () => list('sms_messages', 'client_ref ~ "phone:"')
const readUsed = async () => (await user.call('GET', '/api/sms/usage')).body.used
const conversation = async () => (await list('conversations'))[0]

test('a typed text is a sent text of its owner in the conversation, and is never sent again', async () => {
  await hear('Where are you?', 1)
  await user.call('POST', '/api/sms/send', { recipients: ['+4915187654321'], body: 'Hi' })
  const used = await readUsed()
  for (let i = 0; i < 2; i++) await type('On my way', 2)
  const [message, ...more] = await typed()
  expect(more).toEqual([])
  expect(message).toMatchObject({
    status: 'sent',
    to: ZOE,
    from: '+4930123',
    body: 'On my way',
    device: phone.id,
    sent_by: user.id,
    client_ref: `phone:${message.id}`,
    sent_at: '2026-11-20 07:00:02.000Z',
    segments: 1,
  })
  expect(await conversation()).toMatchObject({
    last_text: 'On my way',
    last_type: 'outgoing',
    last_message: message.id,
    unanswered: false,
  })
  const claimed = (await phone.call('POST', '/api/devices/claim', {})).body.items
  expect(claimed).toMatchObject([{ body: 'Hi' }])
  expect(await list('sms_events', `message = "${message.id}"`)).toEqual([])
  expect([used, await readUsed()]).toEqual([1, 1])
})

test('a typed text that is older than the last text leaves that as it is', async () => {
  await hear('And now?', 9)
  await type('Two minutes', 5)
  expect(await conversation()).toMatchObject({ last_text: 'And now?', unanswered: true })
  expect(await typed()).toHaveLength(2)
})

test('a typed text to a number without a conversation is not stored', async () => {
  await type('Dinner is ready', 20, '+4915199999999')
  expect(await typed()).toHaveLength(2)
})
