import { releaseDueMessages } from '../../../src/gateway/messages/queue/overdue-messages.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { FORGET_CONSENTS } from '../../support/database/forget-consents.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Conversations as a client sees them: kept by texts that come in and go out.

const ZOE = '+4915112345678'
const MAX = '+4915187654321'
const RECORDS = '/api/collections/conversations/records'

const server = await startServerWithDevices()
const user = await server.makeUser()
const phone = await server.pair(user)

beforeEach(async () => {
  for (const table of ['conversations', 'sms_dispatch', 'sms_messages', 'contacts'])
    await server.server.services.store.db.query(`delete from ${table}`)
  await server.query(FORGET_CONSENTS)
})

let clock = Date.parse('2026-11-20T07:00:00.000Z')
async function hear(from: string, body: string, device = phone): Promise<string> {
  clock += 1000
  const received_at = new Date(clock).toISOString()
  const answer = await device.call('POST', '/api/devices/incoming', {
    items: [{ from, body, received_at }],
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.ids[0]
}
const send = async (recipients: readonly string[], more: object = {}) => {
  const answer = await user.call('POST', '/api/sms/send', { recipients, body: 'From us', ...more })
  expect(answer.status).toBe(200)
  return answer.body.message_ids as string[]
}
const list = async (filter = '', who = user) =>
  (await who.call('GET', `${RECORDS}?sort=-last_at&filter=${encodeURIComponent(filter)}`)).body
    .items
const start = (number: string, more: object = {}) =>
  user.call('POST', RECORDS, { user: user.id, number, ...more })
const only = async () => {
  const items = await list()
  expect(items).toHaveLength(1)
  return items[0]
}

describe('an incoming text', () => {
  test('an incoming text creates a conversation', async () => {
    const id = await hear(ZOE, 'Hello')
    expect(await only()).toMatchObject({
      user: user.id,
      number: ZOE,
      name: '',
      last_text: 'Hello',
      last_type: 'incoming',
      last_message: id,
      device: phone.id,
      unread: 1,
      unanswered: true,
      archived: false,
    })
  })

  test('an incoming text moves its conversation to the top, raises the unread count and leaves the archive', async () => {
    await hear(ZOE, 'One')
    const { id } = await only()
    await user.call('PATCH', `${RECORDS}/${id}`, { archived: true, unread: 0 })
    await hear(MAX, 'Between')
    const other = await server.pair(user)
    await hear(ZOE, 'Two', other)
    const [first, second] = await list()
    expect(first).toMatchObject({
      id,
      unread: 1,
      archived: false,
      last_text: 'Two',
      device: other.id,
    })
    expect(second).toMatchObject({ number: MAX })
  })

  test('an incoming text raises the unread count once when it is reported twice', async () => {
    await hear(ZOE, 'Hello')
    clock -= 1000
    await hear(ZOE, 'Hello')
    expect(await only()).toMatchObject({ unread: 1 })
  })
})

describe('an outgoing text', () => {
  test('an outgoing text to one number becomes the last text of its conversation', async () => {
    await hear(ZOE, 'Hello')
    await hear(MAX, 'Me too')
    const [id] = await send([ZOE])
    const [first] = await list()
    expect(first).toMatchObject({
      number: ZOE,
      last_text: 'From us',
      last_type: 'outgoing',
      last_message: id,
      device: phone.id,
      unread: 1,
      unanswered: false,
    })
  })

  test.each([
    ['with a reference', { client_ref: 'one' }],
    ['for later', { scheduled_at: '2099-01-01 00:00:00Z' }],
    ['of a template', { template: true }],
  ])(
    'an outgoing text marks the conversation as answered when sent %s',
    async (_, { template, ...more }: Record<string, unknown>) => {
      await hear(ZOE, 'Hello')
      if (template) {
        const values = { user: user.id, name: 'T', body: 'From us' }
        const { body } = await user.call('POST', '/api/collections/sms_templates/records', values)
        await user.call('POST', '/api/sms/send-template', {
          recipients: [ZOE],
          template_id: body.id,
        })
      } else await send([ZOE], more)
      expect(await only()).toMatchObject({ unanswered: false, last_text: 'From us' })
    },
  )

  test('an outgoing text does not move its conversation up when scheduled', async () => {
    await hear(ZOE, 'Hello')
    await hear(MAX, 'Me too')
    await send([ZOE], { scheduled_at: '2099-01-01 00:00:00Z' })
    const [first, second] = await list()
    expect(first).toMatchObject({ number: MAX })
    expect(second).toMatchObject({ number: ZOE, last_text: 'From us', last_type: 'outgoing' })
    await send([ZOE])
    expect((await list())[0]).toMatchObject({ number: ZOE })
  })

  test('an outgoing text moves its conversation up when it was scheduled and leaves', async () => {
    await hear(ZOE, 'Hello')
    const [id] = await send([ZOE], { scheduled_at: '2099-01-01 00:00:00Z' })
    await hear(MAX, 'Me too')
    const { db } = server.server.services.store
    await db.query(`update sms_dispatch set due_at = now() where message = '${id}'`)
    await releaseDueMessages(db, 600)
    expect((await list())[0]).toMatchObject({ number: ZOE, last_message: id })
  })

  test('an outgoing text creates no conversation', async () => {
    await send([ZOE])
    expect(await list()).toEqual([])
  })

  test.each([
    ['a text to several', async () => send([ZOE, MAX])],
    ['a text of a list', async () => send([ZOE], { bulk: true })],
    ['a text of a list with a reference', async () => send([ZOE], { bulk: true, client_ref: 'x' })],
  ])('%s changes no conversation', async (_, campaign) => {
    await hear(ZOE, 'Hello')
    const before = await list()
    await campaign()
    expect(await list()).toEqual(before)
  })
})

describe('a conversation', () => {
  test('a conversation is created with a number and shows the texts sent to it before', async () => {
    await send([ZOE])
    const { status, body } = await start(ZOE, { unread: 7, last_text: 'made up', unanswered: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      last_text: 'From us',
      last_type: 'outgoing',
      unread: 0,
      unanswered: false,
    })
    expect((await start(MAX)).body).toMatchObject({ last_text: '', last_type: '', device: '' })
    const again = await start(ZOE)
    expect(again.body.data).toMatchObject({ number: { code: 'validation_not_unique' } })
  })

  test.each([
    'number',
    'name',
    'last_text',
    'last_type',
    'last_message',
    'device',
    'unanswered',
    'user',
  ])('a conversation does not let its owner change %s', async (field) => {
    await hear(ZOE, 'Hello')
    const before = await only()
    const value = field === 'unanswered' ? false : field === 'last_type' ? 'outgoing' : 'x'
    expect((await user.call('PATCH', `${RECORDS}/${before.id}`, { [field]: value })).status).toBe(
      404,
    )
    expect(await only()).toEqual(before)
  })

  test('a conversation accepts only lines of its owner', async () => {
    const lineOf = async (who: Client) => {
      const device = await server.pair(who, { sims: [{ slot: 1 }] })
      const filter = encodeURIComponent(`device = "${device.id}"`)
      return (await who.call('GET', `/api/collections/lines/records?filter=${filter}`)).body
        .items[0].id
    }
    const [mine, theirs] = [await lineOf(user), await lineOf(await server.makeUser())]
    const refused = { status: 400, body: { data: { line: { code: 'validation_invalid_line' } } } }
    expect(await start(ZOE, { line: theirs })).toMatchObject(refused)
    const { id } = (await start(ZOE, { line: mine })).body
    expect(await user.call('PATCH', `${RECORDS}/${id}`, { line: theirs })).toMatchObject(refused)
    expect((await user.call('PATCH', `${RECORDS}/${id}`, { line: '' })).status).toBe(200)
  })

  test('a conversation is deleted while its messages stay', async () => {
    const message = await hear(ZOE, 'Hello')
    const { id } = await only()
    expect((await user.call('DELETE', `${RECORDS}/${id}`)).status).toBe(204)
    expect(
      (await user.call('GET', `/api/collections/sms_messages/records/${message}`)).status,
    ).toBe(200)
    await hear(ZOE, 'Again')
    expect(await only()).toMatchObject({ unread: 1, last_text: 'Again' })
  })

  test('a conversation is hidden from other users, who cannot create or change it', async () => {
    await hear(ZOE, 'Hello')
    const { id } = await only()
    const other = await server.makeUser()
    expect(await list('', other)).toEqual([])
    expect((await other.call('PATCH', `${RECORDS}/${id}`, { unread: 0 })).status).toBe(404)
    expect((await other.call('POST', RECORDS, { user: user.id, number: MAX })).status).toBe(400)
  })
})

const CONTACTS = '/api/collections/contacts/records'

test('the name of a conversation follows its contact, which is created, renamed, renumbered or deleted', async () => {
  const values = { user: user.id, name: 'Zoë', phone: ZOE }
  const { id } = (await user.call('POST', CONTACTS, values)).body
  await hear(ZOE, 'Hello')
  await hear(MAX, 'Hello')
  const names = async () => {
    const items: { number: string; name: string }[] = await list()
    return Object.fromEntries(items.map(({ number, name }) => [number, name]))
  }
  expect(await names()).toEqual({ [ZOE]: 'Zoë', [MAX]: '' })
  await user.call('PATCH', `${CONTACTS}/${id}`, { name: 'Zoë L.' })
  expect(await names()).toEqual({ [ZOE]: 'Zoë L.', [MAX]: '' })
  await user.call('PATCH', `${CONTACTS}/${id}`, { phone: MAX })
  expect(await names()).toEqual({ [ZOE]: '', [MAX]: 'Zoë L.' })
  await user.call('DELETE', `${CONTACTS}/${id}`)
  expect(await names()).toEqual({ [ZOE]: '', [MAX]: '' })
  await user.call('POST', CONTACTS, values)
  expect(await names()).toEqual({ [ZOE]: 'Zoë', [MAX]: '' })
})

test('each change of a conversation is announced to subscribers', async () => {
  const listener = await TestListener.on(server.url, user.token, 'conversations')
  await hear(ZOE, 'Hello')
  const told = await listener.next(1)
  await send([ZOE])
  told.push(...(await listener.next(1)))
  await user.call('PATCH', `${RECORDS}/${(await only()).id}`, { unread: 0 })
  told.push(...(await listener.next(1)))
  await hear(ZOE, 'Again')
  told.push(...(await listener.next(1)))
  await listener.close()
  const words = told.map(
    ({ data: { action, record } }) => `${action} ${record.unread} ${record.last_text}`,
  )
  expect(words).toEqual([
    'create 1 Hello',
    'update 1 From us',
    'update 0 From us',
    'update 1 Again',
  ])
})

test('a conversation loses its last text when that message is deleted', async () => {
  const id = await hear(ZOE, 'Secret')
  await user.call('DELETE', `/api/collections/sms_messages/records/${id}`)
  expect(await only()).toMatchObject({ last_text: '', unread: 1, last_type: 'incoming' })
})

test('a conversation is deleted with its user and kept without its device', async () => {
  await hear(ZOE, 'Hello')
  await user.call('DELETE', `/api/collections/devices/records/${phone.id}`)
  expect(await only()).toMatchObject({ device: '', unread: 1 })
  const { id } = await only()
  await server.superuser.call('DELETE', `/api/collections/users/records/${user.id}`)
  expect((await server.superuser.call('GET', `${RECORDS}/${id}`)).status).toBe(404)
})
