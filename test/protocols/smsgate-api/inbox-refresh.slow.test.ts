import { request } from '../../support/server/request.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { bearer } from '../../support/smsgate/smsgate-api-fixture.ts'
import { joinPhone, startSmsgateFixture, until } from '../../support/smsgate/smsgate-fixture.ts'
import { openEvents } from '../../support/smsgate/smsgate-stream.ts'

const fixture = await startSmsgateFixture({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const receiver = await startReceiver()
const user = await fixture.gateway.makeUser()
const other = await fixture.gateway.pair(user)
const values = { user: user.id, name: 'k', scopes: ['all:any'] }
const { key } = (await user.call('POST', '/api/collections/api_keys/records', values)).body

const ask = (path: string, body: object) =>
  request(`${fixture.gateway.url}/3rdparty/v1`, 'POST', path, body, bearer(key))
const PERIOD = { since: '2026-01-01T00:00:00Z', until: '2026-01-08T00:00:00Z' }

test('a refresh for a device that is not an SMSGate phone is refused', async () => {
  expect((await ask('/inbox/refresh', PERIOD)).status).toBe(400)
  expect((await ask('/inbox/refresh', { ...PERIOD, deviceId: other.id })).status).toBe(400)
})

test.each<[string, object, RegExp]>([
  ['no period', {}, /since/],
  ['a period without its end', { since: PERIOD.since }, /until/],
  ['an end before its begin', { since: PERIOD.until, until: PERIOD.since }, /since/],
  ['more than a month', { ...PERIOD, until: '2026-02-02T00:00:01Z' }, /31 days/],
  ['a batch', { ...PERIOD, webhookDelivery: 'Batch' }, /webhookDelivery/],
  ['another delivery method', { ...PERIOD, webhookDelivery: 'Twice' }, /webhookDelivery/],
  ['other message types', { ...PERIOD, messageTypes: ['FAX'] }, /messageTypes/],
  ['an unknown device', { ...PERIOD, deviceId: 'nobody' }, /deviceId/],
])('a refresh with %s is refused: $2', async (_, body, message) => {
  for (const path of ['/inbox/refresh', '/inbox/export']) {
    const { status, text } = await ask(path, body)
    expect([status, JSON.parse(text).message]).toEqual([400, expect.stringMatching(message)])
  }
})

test('a connected phone sends its inbox of the period at once, another when it connects', async () => {
  const phone = await joinPhone(fixture, user)
  const events = await openEvents(phone)
  await until(() => events.frames.includes(':keepalive'))
  const { status, text } = await ask('/inbox/refresh', {
    ...PERIOD,
    messageTypes: ['SMS'],
    deviceId: phone.store.registration!.id,
  })
  expect([status, JSON.parse(text)]).toEqual([202, {}])
  const asked = () => events.frames.filter((frame) => frame.includes('MessagesExportRequested'))
  await until(() => asked().length > 0)
  expect(asked()).toHaveLength(1)
  for (const part of ['2026-01-01T00:00:00.000Z', '2026-01-08T00:00:00.000Z', 'SMS,MMS'])
    expect(asked()[0]).toContain(part)
  await events.close()
  expect((await ask('/inbox/refresh', PERIOD)).status).toBe(202)
  const later = await openEvents(phone)
  await until(() => later.frames.some((frame) => frame.includes('MessagesExportRequested')))
  await later.close()
})

test('a refresh by any route calls webhooks again for stored texts', async () => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const hook = JSON.stringify({ id: 'in', url: receiver.url, event: 'sms:received' })
  await fetch(`${fixture.gateway.url}/3rdparty/v1/webhooks`, {
    method: 'POST',
    headers,
    body: hook,
  })
  const items = ['2026-01-02T00:00:00Z', '2026-01-10T00:00:00Z'].map((received_at) => ({
    from: '+4922200',
    body: received_at,
    received_at,
  }))
  expect((await other.call('POST', '/api/devices/incoming', { items })).status).toBe(200)
  await until(() => receiver.told.length === 2)
  let told = 2
  for (const [path, more] of [
    ['/inbox/refresh', { webhookDelivery: 'Individual' }],
    ['/inbox/refresh', { triggerWebhooks: true }],
    ['/inbox/export', {}],
    ['/messages/inbox/export', {}],
  ] as const) {
    const { status, headers, text } = await ask(path, { ...PERIOD, deviceId: other.id, ...more })
    expect([status, text.trim()]).toEqual([202, '{}'])
    expect(headers.get('deprecation')).toBe(path.endsWith('export') ? 'true' : null)
    told++
    await until(() => receiver.told.length === told)
  }
  const again = receiver.told.slice(2).map(({ event }) => event.payload.message)
  expect(again).toEqual(Array(4).fill('2026-01-02T00:00:00Z'))
  expect(
    (await ask('/inbox/refresh', { ...PERIOD, webhookDelivery: 'Disabled', deviceId: other.id }))
      .status,
  ).toBe(400)
})

test('a refresh that cannot ask phones calls no webhooks', async () => {
  const { db } = fixture.gateway.server.services.store
  const told = receiver.told.length
  const waiting = async () =>
    Number((await db.query('select count(*) from webhook_dispatch')).rows[0]![0])
  await expect.poll(waiting).toBe(0)
  await db.query('alter table smsgate_phones rename column export_since to export_since_')
  const body = { ...PERIOD, deviceId: other.id, webhookDelivery: 'Individual' }
  const { status } = await ask('/inbox/refresh', body)
  await db.query('alter table smsgate_phones rename column export_since_ to export_since')
  expect([status, await waiting(), receiver.told.length]).toEqual([500, 0, told])
})

test('a refresh waits for the webhook calls of earlier ones', async () => {
  const { db } = fixture.gateway.server.services.store
  const [hook] = (await db.query('select id from webhooks where "user" = $1', [user.id])).rows[0]!
  await db.query(
    `insert into webhook_dispatch (delivery, webhook, "user", due_at)
     select 'later' || i, $1, $2, now() + interval '1 day' from generate_series(1, 1000) i`,
    [hook, user.id],
  )
  const body = { ...PERIOD, deviceId: other.id, webhookDelivery: 'Individual' }
  const refused = await ask('/inbox/refresh', body)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect(JSON.parse(refused.text).message).toMatch(/earlier refresh/)
  await db.query(`delete from webhook_dispatch where delivery like 'later%'`)
  expect((await ask('/inbox/refresh', body)).status).toBe(202)
})

test('an inbox refresh that needs more than 1,000 webhook calls is refused', async () => {
  const { db } = fixture.gateway.server.services.store
  await db.query(
    `insert into webhooks (id, "user", url, enabled, smsgate_event, smsgate_id)
     select 'more' || i, $1, $2, true, 'sms:received', 'more' || i from generate_series(1, 19) i`,
    [user.id, receiver.url],
  )
  const items = Array.from({ length: 51 }, (_, i) => ({
    from: '+4922200',
    body: `Many ${i}`,
    received_at: '2026-03-02T00:00:00Z',
  }))
  expect((await other.call('POST', '/api/devices/incoming', { items })).status).toBe(200)
  const refused = await ask('/inbox/refresh', {
    since: '2026-03-01T00:00:00Z',
    until: '2026-03-03T00:00:00Z',
    deviceId: other.id,
    webhookDelivery: 'Individual',
  })
  expect([refused.status, JSON.parse(refused.text).message]).toEqual([
    400,
    'This would be more than 1000 calls, one for each text and webhook: ask for a shorter time',
  ])
})
