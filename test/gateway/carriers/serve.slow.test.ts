import { openAttemptJournal } from '../../../src/gateway/carriers/carrier-attempt-journal.ts'
import { makeDeviceLink } from '../../../src/gateway/carriers/carrier-device-link.ts'
import { leaseCarriers } from '../../../src/gateway/carriers/run-carriers.ts'
import { openSecrets, sealSecrets } from '../../../src/gateway/carriers/stored-carrier.ts'
import { makeHttpDriver } from '../../../src/programs/agent/drivers/http/driver.ts'
import { PRESET_NAMES } from '../../../src/programs/agent/drivers/http/presets.ts'
import { runDriver } from '../../../src/programs/agent/run-driver.ts'
import { settingsOf } from '../../programs/agent/drivers/http/carrier-fixture.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const PATH = '/api/devices/carriers'

/** An account behind a carrier, with a phone that the test plays, and its API key. */
async function startUpstream() {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user, { phone: '+4930123' })
  const named = { user: user.id, name: 'carrier' }
  const { key } = await must(user, 'POST', '/api/collections/api_keys/records', named)
  return { user, phone, key }
}

/** Creates a carrier of a user, with a webhook of the account behind it. */
async function startCarrier(user: Client, upstream: Awaited<ReturnType<typeof startUpstream>>) {
  const account = { preset: 'pocketsms', url: gateway.url, rate: 100 }
  const made = await must(user, 'POST', PATH, { account, ready: true, secret: upstream.key })
  const url = gateway.url + new URL(made.callback).pathname
  const events = ['message.delivered', 'message.failed', 'message.received']
  const hook = { user: upstream.user.id, url, events }
  const { secret } = await must(upstream.user, 'POST', '/api/collections/webhooks/records', hook)
  await must(user, 'PUT', `${PATH}/${made.device}`, { account, webhook_secret: secret })
  return { ...made, account, url, secret }
}

const messages = async (user: Client, filter: string) =>
  (
    await must(
      user,
      'GET',
      `/api/collections/sms_messages/records?filter=${encodeURIComponent(filter)}`,
    )
  ).items

test('a server runs a carrier: texts leave by it, receipts and texts arrive, secrets stay sealed', async () => {
  const upstream = await startUpstream()
  const user = await gateway.makeUser()
  const { device, callback, secret, url } = await startCarrier(user, upstream)
  await must(user, 'POST', '/api/sms/send', { recipients: ['+4915112345678'], body: ' Hello ' })

  const claimed = await until('the text is at the account behind the carrier', async () => {
    const { items } = await must(upstream.phone, 'POST', '/api/devices/claim', {
      limit: 5,
      wait: 2,
    })
    return items.length > 0 && items
  })
  expect(claimed).toMatchObject([{ to: '+4915112345678', body: ' Hello ' }])
  const [{ id, attempt }] = claimed
  const items = [{ id, attempt, status: 'delivered' }]
  await must(upstream.phone, 'POST', '/api/devices/report', { items })
  await until(
    'the receipt arrives',
    async () => (await messages(user, 'status = "delivered"')).length === 1,
  )
  await gateway.hear(upstream.phone, [['+4915112345678', 'Thank you']])
  await until(
    'the text arrives',
    async () => (await messages(user, 'status = "received"')).length === 1,
  )
  expect(await messages(user, 'status = "received"')).toMatchObject([
    { from: '+4915112345678', device },
  ])

  const listed = await must(user, 'GET', PATH)
  expect(listed.items).toMatchObject([{ device, running: true, fault: '' }])
  const stored = await gateway.query(
    'select device_carriers::text from device_carriers where device = $1',
    [device],
  )
  const record = await must(user, 'GET', `/api/collections/devices/records/${device}`)
  const shown = JSON.stringify([listed, stored, record])
  for (const hidden of [upstream.key, secret, callback.split('/').at(-1)!])
    expect(shown).not.toContain(hidden)

  const other = await gateway.makeUser()
  expect((await must(other, 'GET', PATH)).items).toEqual([])
  const stolen = { account: { preset: 'pocketsms', url: 'https://thief.example' } }
  expect((await other.call('PUT', `${PATH}/${device}`, stolen)).status).toBe(404)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  expect((await fetch(`${url}x`, { method: 'POST', body: '{}' })).status).toBe(404)

  await must(user, 'DELETE', `/api/collections/devices/records/${device}`)
  expect(await gateway.query('select 1 from device_carriers where device = $1', [device])).toEqual(
    [],
  )
})

test('a refusal of the account stops the carrier, is shown as its fault, and lets texts wait', async () => {
  const user = await gateway.makeUser()
  const account = { preset: 'pocketsms', url: gateway.url }
  const { device } = await must(user, 'POST', PATH, { account, ready: true, secret: 'psk_wrong' })
  await must(user, 'POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'Hello' })
  const fault = await until(
    'the fault is shown',
    async () => (await must(user, 'GET', PATH)).items[0].fault,
  )
  expect(fault).toMatch(/^The carrier refused it: 401/)
  expect(await messages(user, 'status = "failed"')).toEqual([])
  const states = async (by: Client) => (await must(by, 'GET', '/api/devices/states')).items
  await until('the carrier runs', async () => (await states(user))[0].carrier.running)
  expect(await states(user)).toMatchObject([
    { device, carrier: { preset: 'pocketsms', running: true, fault } },
  ])
  const told = 'select fault_told_at is not null from device_carriers where device = $1'
  await until(
    'a mail to the owner is queued',
    async () => (await gateway.query(told, [device]))[0]?.[0],
  )
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { enabled: false })
})

test.each<[what: string, body: object, message: RegExp]>([
  ['an unknown preset', { account: { preset: 'nobody' } }, /account\.preset/],
  ['a missing address', { account: { preset: 'pocketsms' } }, /url is missing/],
  [
    'an address of a preset without https',
    {
      account: {
        preset: 'custom',
        senders: ['Acme'],
        custom: { url: 'nowhere', send: { path: '/' } },
      },
    },
    /custom\.url/,
  ],
  [
    'a template that takes long for each text',
    {
      account: {
        preset: 'custom',
        url: 'https://x.example',
        custom: { send: { path: `/${'{{to}}'.repeat(400)}` } },
      },
    },
    /custom\.send/,
  ],
  [
    'a template with an unknown value',
    {
      account: {
        preset: 'custom',
        url: 'https://x.example',
        custom: { send: { path: '/{{nothing}}' } },
      },
    },
    /nothing/,
  ],
])('%s is refused', async (_, body, message) => {
  const user = await gateway.makeUser()
  const { status, body: answer } = await user.call('POST', PATH, body)
  expect({ status, message: answer.message }).toEqual({
    status: 400,
    message: expect.stringMatching(message),
  })
})

test.each(['secret', 'value'])('a key of the account itself is refused as %s', async (place) => {
  const { user, key } = await startUpstream()
  const account = { preset: 'pocketsms', url: gateway.url }
  const settings =
    place === 'secret'
      ? { account, secret: key }
      : { account: { ...account, values: { authorization: `Bearer ${key}` } }, secret: 'none' }
  const { status, body } = await user.call('POST', PATH, settings)
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: expect.stringContaining('a key of this account'),
  })
})

test('a text that returns to its own account stops the carrier, and waits', async () => {
  const user = await gateway.makeUser()
  const account = { preset: 'pocketsms', url: gateway.url, rate: 100 }
  const { device } = await must(user, 'POST', PATH, { account, ready: true, secret: 'psk_later' })
  const named = { user: user.id, name: 'carrier' }
  const { key } = await must(user, 'POST', '/api/collections/api_keys/records', named)
  // as when the account behind a carrier becomes this account: the check of the secret sees nothing
  const { services } = gateway.server
  const { db } = services.store.forUser(user.id)
  const row = (
    await gateway.query('select sealed from device_carriers where device = $1', [device])
  )[0]!
  const old = await openSecrets(db, { device, sealed: String(row[0]) })
  const sealed = await sealSecrets(db, device, { ...old!, secret: key })
  await gateway.query(
    'update device_carriers set sealed = $2, version = version + 1 where device = $1',
    [device, sealed],
  )
  await must(user, 'POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'Hello' })
  await until('the fault is shown', async () =>
    /The carrier of this account is the account itself/.test(
      (await must(user, 'GET', PATH)).items[0].fault,
    ),
  )
  expect(await messages(user, '')).toHaveLength(1)
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { enabled: false })
})

test('of more carriers than a server runs, those with texts run', async () => {
  const user = await gateway.makeUser()
  const devices = [
    await gateway.pair(user, {}),
    await gateway.pair(user, {}),
    await gateway.pair(user, {}),
  ].map(({ id }) => id)
  for (const device of devices)
    await gateway.query(
      `insert into device_carriers (device, "user", account, sealed, address_hash, node, leased_until)
      values ($1, $2, '{}', '', $1, 'n1', now() + interval '1 hour')`,
      [device, user.id],
    )
  const { db } = gateway.server.services.store.forEverybody('test')
  const leased = async (max: number) =>
    (await leaseCarriers(db, 'n1', max)).map(({ device }) => device)
  expect(await leased(3)).toHaveLength(3)
  for (const device of devices) {
    const { message_ids } = await must(user, 'POST', '/api/sms/send', {
      recipients: ['+4915112345678'],
      body: 'Hello',
      device_id: device,
    })
    expect(await leased(1)).toEqual([device])
    await must(user, 'POST', `/api/sms/messages/${message_ids[0]}/cancel`, {})
  }
  await gateway.query('delete from device_carriers where device = any($1)', [devices])
})

test('the list names the credentials and values of each preset', async () => {
  const { presets } = await must(await gateway.makeUser(), 'GET', PATH)
  expect(presets.map(({ name }: { name: string }) => name)).toEqual(
    PRESET_NAMES.filter((name) => name !== 'custom'),
  )
  expect(presets.find(({ name }: { name: string }) => name === 'twilio')).toEqual({
    name: 'twilio',
    url: 'https://api.twilio.com',
    user: 'AccountSid',
    secret: 'AuthToken',
    webhook_secret: '',
    values: [],
    receipts: true,
    incoming: true,
  })
  for (const { name, secret } of presets) expect(secret, name).not.toBe('')
})

test('a check returns the request without its secret, and stores no carrier', async () => {
  const user = await gateway.makeUser()
  const account = { preset: 'twilio', user: 'AC1', senders: ['+15005550006'] }
  const made = await must(user, 'POST', PATH, { account, secret: 'sesame-open-99', check: true })
  expect(made.request).toContain(
    'POST https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
  )
  expect(made.request).not.toContain(Buffer.from('AC1:sesame-open-99').toString('base64'))
  expect((await must(user, 'GET', PATH)).items).toEqual([])
})

test('a change cannot send the stored secret elsewhere, or show it', async () => {
  const user = await gateway.makeUser()
  const account = { preset: 'twilio', user: 'AC1', senders: ['+15005550006'] }
  const { device } = await must(user, 'POST', PATH, { account, secret: 'sesame' })
  const change = async (more: object, given: object = {}) =>
    (await user.call('PUT', `${PATH}/${device}`, { account: { ...account, ...more }, ...given }))
      .status
  const custom = { send: { path: '/{{basic}}' } }
  expect(await change({ url: 'https://thief.example' })).toBe(400)
  expect(
    await change({ preset: 'custom', url: 'https://x.example', custom }, { check: true }),
  ).toBe(400)
  expect(await change({ rate: 5 })).toBe(200)
  expect(await change({ url: 'https://api.dublin.twilio.example' }, { secret: 'sesame' })).toBe(200)
})

test('of two servers that begin an attempt, one learns that it was the other', async () => {
  const { db } = gateway.server.services.store.forEverybody('test')
  const [one, other] = [await openAttemptJournal(db, 'd1'), await openAttemptJournal(db, 'd1')]
  const begun = await Promise.all([one.begin('m1', 1), other.begin('m1', 1)])
  // no queue has the text, so it may not leave
  expect(begun.toSorted()).toEqual(['over', 'withdrawn'])
  await (begun[0] === 'over' ? other : one).undo('m1', 1)
  expect(await one.begin('m1', 1)).toBe('withdrawn')
})

test('a server does not report as unsent an attempt that another server has begun', async () => {
  const user = await gateway.makeUser()
  const device = (await gateway.pair(user, {})).id
  const { message_ids } = await must(user, 'POST', '/api/sms/send', {
    recipients: ['+4915112345678'],
    body: 'Hello',
    device_id: device,
  })
  const { services } = gateway.server
  const { db } = services.store.forUser(user.id)
  const [one, other] = [await openAttemptJournal(db, device), await openAttemptJournal(db, device)]
  expect(await one.begin(message_ids[0], 1)).toBe('withdrawn') // no device has fetched it yet
  const refusing = await startReceiver()
  refusing.answer(401, '{}')
  const settings = { preset: 'pocketsms', url: refusing.url, secret: 'psk_1', allow_private: true }
  const ended = new AbortController()
  const link = makeDeviceLink(services, { device, user: user.id })
  const running = runDriver(
    link,
    makeHttpDriver(settingsOf(settings).carrier),
    other,
    () => {},
    ended.signal,
  )
  await until('the carrier was asked', () => refusing.told.length > 0)
  ended.abort()
  await running
  expect(await messages(user, 'status = "sending"')).toMatchObject([{ id: message_ids[0] }])
})

test('no server begins an attempt again whose outcome was reported', async () => {
  const { db } = gateway.server.services.store.forEverybody('test')
  const [one, other] = [await openAttemptJournal(db, 'd2'), await openAttemptJournal(db, 'd2')]
  await one.begin('m1', 1)
  await one.keep({ kind: 'report', item: { id: 'm1', attempt: 1, status: 'sent' } })
  one.forget([...one.untold.keys()])
  expect(one.hasBegun('m1', 1)).toBe(true)
  expect(await other.begin('m1', 1)).toBe('over')
})

test('an attempt is not sent while the database refuses to store it', async () => {
  const { db } = gateway.server.services.store.forEverybody('test')
  const journal = await openAttemptJournal(db, 'd3')
  const unstorable = 'm\0' // Postgres stores no NUL characters
  expect(await journal.begin(unstorable, 1)).toBe('unstored')
  expect(journal.hasBegun(unstorable, 1)).toBe(false)
  await journal.undo(unstorable, 1)
})

test('carriers start although the settings of others are invalid', async () => {
  const user = await gateway.makeUser()
  const account = { preset: 'pocketsms', url: gateway.url }
  const add = async () => (await must(user, 'POST', PATH, { account, secret: 'psk_wrong' })).device
  const broken = [await add(), await add(), await add()]
  await gateway.query(
    `update device_carriers set account = '{"preset":"gone"}', version = version + 1 where device = any($1)`,
    [broken],
  )
  const others = [await add(), await add(), await add()]
  for (const device of others)
    await must(user, 'POST', '/api/sms/send', {
      recipients: ['+4915112345678'],
      body: 'Hello',
      device_id: device,
    })
  const ended = "select count(*) from device_carriers where device = any($1) and fault <> ''"
  await until(
    'each other carrier was refused',
    async () => Number((await gateway.query(ended, [others]))[0]?.[0]) === others.length,
  )
  await gateway.query('update devices set enabled = false where "user" = $1', [user.id])
})

test('an account has at most 10 carriers and their devices, even if it adds them at the same time', async () => {
  const user = await gateway.makeUser()
  const account = { preset: 'twilio', user: 'AC1', senders: ['+15005550006'] }
  const made = await Promise.all(
    Array.from({ length: 14 }, () => user.call('POST', PATH, { account, secret: 'sesame' })),
  )
  expect(made.filter(({ status }) => status === 200)).toHaveLength(10)
  expect((await must(user, 'GET', PATH)).items).toHaveLength(10)
  expect((await must(user, 'GET', '/api/collections/devices/records')).totalItems).toBe(10)
  await gateway.query('update devices set enabled = false where "user" = $1', [user.id])
})

test('a receipt with a long error fails its text', async () => {
  const user = await gateway.makeUser()
  const { device, callback } = await must(user, 'POST', PATH, {
    ready: true,
    account: {
      preset: 'custom',
      url: `${gateway.url}/api/health?`,
      custom: {
        send: { method: 'GET', path: '{{ref}}' },
        receipt: {
          ref: 'ref',
          status: 'status',
          delivered: ['ok'],
          failed: ['bad'],
          error: ['why'],
        },
      },
    },
  })
  const { message_ids } = await must(user, 'POST', '/api/sms/send', {
    recipients: ['+4915112345678'],
    body: 'Hello',
  })
  await until(
    'the text is sent',
    async () => (await messages(user, 'status = "sent"')).length === 1,
  )
  const query = new URLSearchParams({
    ref: `${message_ids[0]}.1`,
    status: 'bad',
    why: 'x'.repeat(2_000),
  })
  const url = `${gateway.url + new URL(callback).pathname}?${query}`
  expect((await fetch(url)).status).toBe(200)
  expect(await messages(user, 'status = "failed"')).toMatchObject([{ device }])
})

test('a text that the server refuses does not stop the other texts of the same call', async () => {
  const user = await gateway.makeUser()
  const { callback } = await must(user, 'POST', PATH, {
    account: {
      preset: 'custom',
      url: gateway.url,
      custom: {
        send: { path: '/' },
        incoming: { each: 'texts', id: 'id', from: 'from', body: 'body' },
      },
    },
  })
  // a sender of NUL characters is empty once it is stored
  const texts = [
    { id: '1', from: '\0', body: 'Nobody' },
    { id: '2', from: '+4915112345678', body: 'Hello' },
  ]
  const url = gateway.url + new URL(callback).pathname
  const { status } = await fetch(url, { method: 'POST', body: JSON.stringify({ texts }) })
  expect(status).toBe(200)
  expect(await messages(user, 'status = "received"')).toMatchObject([
    { from: '+4915112345678', body: 'Hello' },
  ])
})
