import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readOptWord } from '../../../src/sms/queue/opt-out.ts'
import { startCpuTimer } from '../../support/server/cpu-timer.ts'
import {
  type Client,
  type ServerWithDevices,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// A tenant and a device that mean harm, against a tenant who does not.

let server: ServerWithDevices
let ann: Client
let eve: Client
let phone: Client
let evil: Client
beforeAll(async () => {
  server = await startServerWithDevices()
  ;[ann, eve] = [await server.makeUser(), await server.makeUser()]
  ;[phone, evil] = [await server.pair(ann), await server.pair(eve)]
})
afterAll(() => server?.stop())

const TO = '+4915112345678'
const send = (who: Client, more: object = {}) =>
  who.call('POST', '/api/sms/send', { recipients: [TO], body: 'Hello', ...more })
const post = (who: Client, collection: string, body: object) =>
  who.call('POST', `/api/collections/${collection}/records`, body)
const view = (who: Client, collection: string, id: string) =>
  who.call('GET', `/api/collections/${collection}/records/${id}`)
const claim = async (who: Client, limit = 100) =>
  (await who.call('POST', '/api/devices/claim', { limit })).body.items as { id: string; attempt: number }[]

describe('a send with', () => {
  test.each<[what: string, body: object, status: number]>([
    ['digits of another script', { recipients: ['+٤٩١٥١١٢٣٤٥٦٧٨'] }, 400],
    ['full-width digits', { recipients: ['＋４９１５１１２３４５６７８'] }, 400],
    ['a line break behind the number', { recipients: [`${TO}\n`] }, 400],
    ['a NUL behind the number', { recipients: [`${TO}\0`] }, 400],
    ['a number of 16 digits', { recipients: ['+4915112345678901'] }, 400],
    ['an instant of the year 9999', { scheduled_at: '9999-12-31 23:59:59.999Z' }, 200],
    ['a life that ends after 9999', { scheduled_at: '9999-12-31 23:59:59.999Z', ttl: 315360000 }, 200],
    ['an instant after 9999', { scheduled_at: '+010000-01-01T00:00:00Z' }, 400],
    ['an instant before all', { scheduled_at: '0000-00-00 00:00:00Z' }, 400],
    ['an end in the year 1', { expires_at: '0001-01-01 00:00:00.000Z' }, 400],
    [
      'an end before its time',
      { scheduled_at: '2999-01-02 00:00:00Z', expires_at: '2999-01-01 00:00:00Z' },
      400,
    ],
    ['an end at its time', { scheduled_at: '2999-01-02 00:00:00Z', expires_at: '2999-01-02 00:00:00Z' }, 400],
    ['1,600 pictures', { body: '😀'.repeat(1600) }, 200],
    ['one picture more', { body: '😀'.repeat(1601) }, 400],
    ['half a picture and a NUL', { body: 'a\ud83d\0b' }, 200],
    ['nothing but a NUL', { body: '\0' }, 400],
    ['keys of objects', JSON.parse('{"__proto__":{"admin":true}}'), 400],
    ['keys of objects as a number', { recipients: ['__proto__'] }, 400],
    ['ten thousand times one number', { recipients: Array(10_000).fill(TO) }, 200],
    ['a hundred groups and one', { group_ids: Array.from({ length: 101 }, (_, i) => `group${i}`) }, 400],
  ])('%s', async (_, body, status) => {
    const answer = await send(ann, body)
    expect([answer.status, answer.body]).toEqual([status, expect.anything()])
  })

  test('what it cannot hold in UTF-8 has it replaced', async () => {
    const { body } = await send(ann, { body: 'a\ud83d\0b' })
    expect((await view(ann, 'sms_messages', body.message_ids[0])).body.body).toBe('a\ufffdb')
  })

  test.each([
    [
      'a life of ten years from the end of time',
      { scheduled_at: '9999-12-31 00:00:00.000Z', ttl: 315360000 },
    ],
    ['an end that is the last', { expires_at: '9999-12-31 23:59:59.999Z' }],
  ])('%s ends where dates end', async (_, body) => {
    const { message_ids } = (await send(ann, body)).body
    const { expires_at } = (await view(ann, 'sms_messages', message_ids[0])).body
    expect(expires_at).toBe('9999-12-31 23:59:59.999Z')
  })

  test('a life to the end of time can be sent again', async () => {
    const { body } = await send(ann, { expires_at: '9999-12-31 23:59:59.999Z' })
    const id = body.message_ids[0]
    await ann.call('POST', `/api/sms/messages/${id}/cancel`, {})
    const again = await ann.call('POST', `/api/sms/messages/${id}/retry`, {})
    expect(again.status).toBe(200)
    const next = await view(ann, 'sms_messages', again.body.message_ids[0])
    expect(next.body.expires_at).toBe('9999-12-31 23:59:59.999Z')
  })
})

describe('of others, a tenant can use no', () => {
  test('device, group, template, message, batch, reference or key', async () => {
    const group = (await post(ann, 'contact_groups', { user: ann.id, name: 'G' })).body.id
    const template = (await post(ann, 'sms_templates', { user: ann.id, name: 'T', body: 'x' })).body.id
    const { body } = await send(ann, { recipients: [TO, '+4915112345679'], priority: 1 })
    const [id] = body.message_ids
    expect((await send(eve, { device_id: phone.id })).status).toBe(404)
    expect((await send(eve, { group_ids: [group] })).status).toBe(404)
    const asked = await eve.call('POST', '/api/sms/send-template', {
      recipients: [TO],
      template_id: template,
    })
    expect(asked.body).toEqual({ message: 'Template not found.' })
    expect((await eve.call('POST', `/api/sms/messages/${id}/cancel`, {})).status).toBe(404)
    expect((await eve.call('POST', `/api/sms/messages/${id}/retry`, {})).status).toBe(404)
    expect((await eve.call('GET', `/api/sms/batches/${body.batch_id}`)).status).toBe(404)
    await send(ann, { client_ref: 'order-1' })
    const ref = await send(eve, { client_ref: 'order-1' })
    expect((await view(eve, 'sms_messages', ref.body.message_ids[0])).body.user).toBe(eve.id)
  })

  test.each([
    ['user', (id: string) => ({ user: id })],
    ['user+', (id: string) => ({ 'user+': id })],
    ['+user', (id: string) => ({ '+user': id })],
  ])('name: nothing is given to them by %s', async (_, body) => {
    for (const [collection, values] of [
      ['contacts', { name: 'c', phone: `+4917${Math.floor(1e7 + Math.random() * 8e7)}` }],
      ['contact_groups', { name: `g${Math.random()}` }],
      ['sms_templates', { name: 't', body: 'b' }],
      ['webhooks', { url: 'https://example.com/x', events: ['message.sent'] }],
    ] as const) {
      const made = await post(eve, collection, { user: eve.id, ...values })
      expect([collection, made.status]).toEqual([collection, 200])
      await eve.call('PATCH', `/api/collections/${collection}/records/${made.body.id}`, body(ann.id))
      expect((await view(eve, collection, made.body.id)).body.user).toBe(eve.id)
    }
    await eve.call('PATCH', `/api/collections/devices/records/${evil.id}`, body(ann.id))
    expect((await view(eve, 'devices', evil.id)).body.user).toBe(eve.id)
  })

  test.each(['groups', 'groups+', '+groups'])('group: none of theirs is joined by %s', async (key) => {
    const group = (await post(ann, 'contact_groups', { user: ann.id, name: `mine ${key}` })).body.id
    const number = `+4916${Math.floor(1e7 + Math.random() * 8e7)}`
    const made = await post(eve, 'contacts', { user: eve.id, name: 'c', phone: number })
    await eve.call('PATCH', `/api/collections/contacts/records/${made.body.id}`, { [key]: [group] })
    expect((await view(eve, 'contacts', made.body.id)).body.groups).toEqual([])
    await post(eve, 'contacts', { user: eve.id, name: 'c', phone: `${number}1`, [key]: [group] })
    const sent = await send(ann, { recipients: [TO], group_ids: [group] })
    expect(sent.body.recipients_count).toBe(1)
  })

  test.each(['monthly_quota', 'monthly_quota+', '+monthly_quota', 'monthly_quota-'])(
    'quota: %s',
    async (key) => {
      await server.superuser.call('PATCH', `/api/collections/users/records/${eve.id}`, {
        monthly_quota: 1000,
      })
      await eve.call('PATCH', `/api/collections/users/records/${eve.id}`, { [key]: 5 })
      expect((await view(eve, 'users', eve.id)).body.monthly_quota).toBe(1000)
    },
  )
})

describe('a device', () => {
  test('reports on no message of others, and of its own only what it holds', async () => {
    const { body } = await send(ann, { device_id: phone.id, priority: 100 })
    const id = body.message_ids[0]
    const report = (who: Client, attempt: number, status: string, more = {}) =>
      who.call('POST', '/api/devices/report', { items: [{ id, attempt, status, ...more }] })
    expect((await report(evil, 1, 'sent')).body.items[0].result).toBe('not_found')
    expect((await report(phone, 0, 'sent')).body.items[0].result).toBe('unchanged')
    expect((await report(phone, 1, 'failed', { not_sent: true })).body.items[0].result).toBe('unchanged')
    const [mine] = (await claim(phone)).filter((item) => item.id === id)
    expect(mine!.attempt).toBe(1)
    expect((await report(evil, 1, 'failed', { not_sent: true })).body.items[0].result).toBe('not_found')
    expect((await report(phone, 2, 'sent')).body.items[0].result).toBe('unchanged')
    expect((await report(phone, 1, 'sent', { at: '9999-12-31T23:59:59.999Z' })).status).toBe(200)
    const { sent_at, created } = (await view(ann, 'sms_messages', id)).body
    expect(sent_at >= created && sent_at < '2999').toBe(true)
    for (const at of ['1969-12-31', '+275760-09-13T00:00:00.000Z', '', 5, 'never'])
      expect((await report(phone, 1, 'delivered', { at })).status).toBe(400)
    expect((await view(ann, 'sms_messages', id)).body.status).toBe('sent')
  })

  test('that is disabled is handed nothing, whatever it asks', async () => {
    const spare = await server.pair(ann)
    await send(ann, { device_id: spare.id })
    await ann.call('PATCH', `/api/collections/devices/records/${spare.id}`, { enabled: false })
    expect((await spare.call('POST', '/api/devices/claim', {})).status).toBe(403)
    expect((await spare.call('GET', '/api/mobile/v1/message')).body).toEqual([])
  })

  test.each([
    ['a number', '+4915100000000', 'x'],
    ['a name that is none', '__proto__', 'STOP'],
    ['a formula', '=cmd|calc', '=1+1'],
    ['half a picture', '\ud83d', '\udc00'],
    ['NUL', '\0+49', 'a\0'],
  ])('hands in a text of %s', async (_, from, body) => {
    const item = { from, body, received_at: '1970-01-01T00:00:00Z' }
    const answer = await evil.call('POST', '/api/devices/incoming', { items: [item, item] })
    expect(answer.status).toBe(200)
    expect(new Set(answer.body.ids).size).toBe(1)
    expect((await view(eve, 'sms_messages', answer.body.ids[0])).status).toBe(200)
  })

  test('holds up nobody with what it says', async () => {
    const took = startCpuTimer()
    const body = `${'!'.repeat(39_000)}x`
    const items = Array.from({ length: 20 }, () => ({ from: TO, body, received_at: '2026-01-01T00:00:00Z' }))
    expect((await evil.call('POST', '/api/devices/incoming', { items })).status).toBe(200)
    expect(took()).toBeLessThan(5_000)
  })

  test('breaks no stream by what it says of itself', async () => {
    const { realtime, store } = server.server.services
    for (const sims of [
      [{ a: '\ud800' }],
      [{ '\0': '\0' }],
      [{ __proto__: 1 }],
      [{ 'a\udfff': { b: ['\0'] } }],
    ])
      expect((await evil.call('POST', '/api/devices/heartbeat', { sims })).status).toBe(200)
    const { rows } = await store.db.query('select row_to_json(d)::text from devices d')
    expect(rows.length).toBeGreaterThan(1)
    expect(realtime.clients).toBe(0)
    expect((await view(eve, 'devices', evil.id)).status).toBe(200)
  })
})

describe('a word for opting out', () => {
  test.each([
    ['STOP', true],
    [' stop!!! ', true],
    ['Stop..!', true],
    ['!', undefined],
    ['', undefined],
    ['STOP it', undefined],
    ['start.', false],
  ])('%j', (body, expected) => {
    expect(readOptWord(body, { out: ['STOP'], in: ['START'] })).toBe(expected)
  })
})

test.each(['a', ''])('a path of dots holds up nobody', async (first) => {
  const took = startCpuTimer()
  for (let i = 0; i < 10; i++)
    await ann.call('GET', `/api/collections/contacts/records?expand=${first}${'.'.repeat(14_000)}x`)
  expect(took()).toBeLessThan(3_000)
})

test('keys of objects are variables like others, or missing', async () => {
  const template = async (body: string) =>
    (await post(ann, 'sms_templates', { user: ann.id, name: 'T', body })).body.id
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const template_id = await template(`{{${name}}}`)
    const ask = (variables?: unknown) =>
      ann.call('POST', '/api/sms/preview', { recipients: [TO], template_id, variables })
    expect((await ask({})).body).toEqual({ message: `Missing variable: ${name}.` })
    const given = await ask(JSON.parse(`{"${name}":"value"}`))
    expect([name, given.body.body ?? given.body.message]).toEqual([name, 'value'])
  }
})

test('an Idempotency-Key is the user’s, whatever key or route', async () => {
  const ask = (who: Client, path: string, body: object) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: who.token, 'idempotency-key': 'one' },
      body: JSON.stringify(body),
    })
  const body = { recipients: [TO], body: 'once' }
  const first = await ask(ann, '/api/sms/send', body)
  const text = await first.text()
  expect(first.status).toBe(200)
  const theirs = await ask(eve, '/api/sms/send', body)
  expect(await theirs.text()).not.toBe(text)
  expect(theirs.headers.has('idempotent-replayed')).toBe(false)
  expect(await (await ask(ann, '/api/sms/send', { body: 'once', recipients: [TO] })).text()).toBe(text)
  expect((await ask(ann, '/api/sms/send', { ...body, priority: 1 })).status).toBe(422)
})
