import { startCpuTimer } from '../../../support/server/cpu-timer.ts'
import { type Client, startServerWithDevices } from '../../../support/server/server-with-devices.ts'

// A tenant and a device that mean harm, against a tenant who does not.

const server = await startServerWithDevices()
const [ann, eve] = [await server.makeUser(), await server.makeUser()]
await server.pair(ann)
const evil = await server.pair(eve)

const TO = '+4915112345678'
const send = (who: Client, more: object = {}) =>
  who.call('POST', '/api/sms/send', { recipients: [TO], body: 'Hello', ...more })
const post = (who: Client, collection: string, body: object) =>
  who.call('POST', `/api/collections/${collection}/records`, body)
const view = (who: Client, collection: string, id: string) =>
  who.call('GET', `/api/collections/${collection}/records/${id}`)
describe('a send with', () => {
  test.each<[what: string, body: object, status: number]>([
    ['digits of another script', { recipients: ['+٤٩١٥١١٢٣٤٥٦٧٨'] }, 400],
    ['full-width digits', { recipients: ['＋４９１５１１２３４５６７８'] }, 400],
    ['a line break behind the number', { recipients: [`${TO}\n`] }, 400],
    ['a NUL behind the number', { recipients: [`${TO}\0`] }, 400],
    ['an instant of the year 9999', { scheduled_at: '9999-12-31 23:59:59.999Z' }, 200],
    [
      'a life that ends after 9999',
      { scheduled_at: '9999-12-31 23:59:59.999Z', ttl: 315360000 },
      200,
    ],
    ['an instant after 9999', { scheduled_at: '+010000-01-01T00:00:00Z' }, 400],
    ['an instant before all', { scheduled_at: '0000-00-00 00:00:00Z' }, 400],
    ['an end in the year 1', { expires_at: '0001-01-01 00:00:00.000Z' }, 400],
    ['an end before its time', { scheduled_at: '2999-01-02', expires_at: '2999-01-01' }, 400],
    ['a body of a single NUL', { body: '\0' }, 400],
    ['keys of objects', JSON.parse('{"__proto__":{"admin":true}}'), 400],
    ['keys of objects as a number', { recipients: ['__proto__'] }, 400],
    ['101 groups', { group_ids: Array.from({ length: 101 }, (_, i) => `group${i}`) }, 400],
  ])('a send with %s is answered with $2', async (_, body, status) => {
    const answer = await send(ann, body)
    expect([answer.status, answer.body]).toEqual([status, expect.anything()])
  })

  test.each([
    ['a life of ten years', { scheduled_at: '9999-12-31 00:00:00.000Z', ttl: 315360000 }],
    ['an end that is the last', { expires_at: '9999-12-31 23:59:59.999Z' }],
  ])('%s expires at the last possible date, also when it is sent again', async (_, options) => {
    const endOf = async (id: string) => (await view(ann, 'sms_messages', id)).body.expires_at
    const [id] = (await send(ann, options)).body.message_ids
    expect(await endOf(id)).toBe('9999-12-31 23:59:59.999Z')
    await ann.call('POST', `/api/sms/messages/${id}/cancel`, {})
    const again = await ann.call('POST', `/api/sms/messages/${id}/retry`, {})
    expect(again.status).toBe(200)
    if ('expires_at' in options)
      expect(await endOf(again.body.message_ids[0])).toBe('9999-12-31 23:59:59.999Z')
  })
})

describe('records of other users', () => {
  test.each([
    ['user', (id: string) => ({ user: id })],
    ['user+', (id: string) => ({ 'user+': id })],
    ['+user', (id: string) => ({ '+user': id })],
  ])('records of other users cannot be created or handed over by writing %s', async (_, body) => {
    for (const [collection, values] of [
      ['contacts', { name: 'c', phone: `+4917${Math.floor(1e7 + Math.random() * 8e7)}` }],
      ['contact_groups', { name: `g${Math.random()}` }],
      ['sms_templates', { name: 't', body: 'b' }],
      ['webhooks', { url: 'https://example.com/x', events: ['message.sent'] }],
    ] as const) {
      const made = await post(eve, collection, { user: eve.id, ...values })
      expect([collection, made.status]).toEqual([collection, 200])
      await eve.call(
        'PATCH',
        `/api/collections/${collection}/records/${made.body.id}`,
        body(ann.id),
      )
      expect((await view(eve, collection, made.body.id)).body.user).toBe(eve.id)
    }
    await eve.call('PATCH', `/api/collections/devices/records/${evil.id}`, body(ann.id))
    expect((await view(eve, 'devices', evil.id)).body.user).toBe(eve.id)
  })

  test.each(['groups', 'groups+', '+groups'])(
    'records of other users cannot be joined as a group by writing %s',
    async (key) => {
      const group = (await post(ann, 'contact_groups', { user: ann.id, name: `mine ${key}` })).body
        .id
      const number = `+4916${Math.floor(1e7 + Math.random() * 8e7)}`
      const made = await post(eve, 'contacts', { user: eve.id, name: 'c', phone: number })
      await eve.call('PATCH', `/api/collections/contacts/records/${made.body.id}`, {
        [key]: [group],
      })
      expect((await view(eve, 'contacts', made.body.id)).body.groups).toEqual([])
      await post(eve, 'contacts', { user: eve.id, name: 'c', phone: `${number}1`, [key]: [group] })
      const sent = await send(ann, { recipients: [TO], group_ids: [group] })
      expect(sent.body.recipients_count).toBe(1)
    },
  )

  test.each(['monthly_quota', 'monthly_quota+', '+monthly_quota', 'monthly_quota-'])(
    'the monthly quota cannot be changed by its user writing %s',
    async (key) => {
      await server.superuser.call('PATCH', `/api/collections/users/records/${eve.id}`, {
        monthly_quota: 1000,
      })
      await eve.call('PATCH', `/api/collections/users/records/${eve.id}`, { [key]: 5 })
      expect((await view(eve, 'users', eve.id)).body.monthly_quota).toBe(1000)
    },
  )
})

describe('a hostile device', () => {
  test.each([
    ['a number', '+4915100000000', 'x'],
    ['an object key as a name', '__proto__', 'STOP'],
    ['a formula', '=cmd|calc', '=1+1'],
    ['half a picture', '\ud83d', '\udc00'],
    ['NUL', '\0+49', 'a\0'],
  ])('a hostile device can report a text of %s, stored once', async (_, from, body) => {
    const item = { from, body, received_at: '1970-01-01T00:00:00Z' }
    const answer = await evil.call('POST', '/api/devices/incoming', { items: [item, item] })
    expect(answer.status).toBe(200)
    expect(new Set(answer.body.ids).size).toBe(1)
    expect((await view(eve, 'sms_messages', answer.body.ids[0])).status).toBe(200)
  })

  test('a hostile device cannot block the server with long texts', async () => {
    const took = startCpuTimer()
    const body = `${'!'.repeat(39_000)}x`
    const items = Array.from({ length: 20 }, () => ({
      from: TO,
      body,
      received_at: '2026-01-01T00:00:00Z',
    }))
    expect((await evil.call('POST', '/api/devices/incoming', { items })).status).toBe(200)
    expect(took()).toBeLessThan(5_000)
  })
})

test.each(['a', ''])(
  'an expand path of "%s" and 14,000 dots does not block the server',
  async (first) => {
    const took = startCpuTimer()
    for (let i = 0; i < 10; i++)
      await ann.call(
        'GET',
        `/api/collections/contacts/records?expand=${first}${'.'.repeat(14_000)}x`,
      )
    expect(took()).toBeLessThan(3_000)
  },
)
