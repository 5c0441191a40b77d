import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/log.ts'
import { startPushes } from '../../src/notifications/push-worker.ts'
import { cleanUpPushes } from '../../src/notifications/queue.ts'
import {
  type Client,
  type ServerWithDevices,
  startServerWithDevices,
} from '../support/server/server-with-devices.ts'
import { startPushService } from '../support/services/push-service.ts'
import { until } from '../support/services/receiver.ts'

// Texts come in over HTTP, and a push service decrypts what the server sends to a browser.

const ZOE = '+4915112345678'
const MAX = '+4915187654321'

let server: ServerWithDevices
let service: Awaited<ReturnType<typeof startPushService>>
let user: Client
let phone: Client
beforeAll(async () => {
  server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
})
afterAll(() => server.stop())
beforeEach(async () => {
  service = await startPushService()
  user = await server.makeUser()
  phone = await server.pair(user)
})
afterEach(async () => {
  await query('delete from push_subscriptions')
  await service.stop()
})

const query = async (text: string, params: unknown[] = []) =>
  (await server.server.services.store.db.query(text, params)).rows
const subscribe = (who = user, subscription: unknown = service.subscription()) =>
  who.call('PUT', '/api/account/push', subscription)
const browsers = async (who = user) => (await who.call('GET', '/api/account/push')).body.items

let clock = Date.parse('2026-11-20T07:00:00.000Z')
async function hear(texts: readonly (readonly [from: string, body: string])[], device = phone) {
  const items = texts.map(([from, body]) => ({ from, body, received_at: new Date(++clock).toISOString() }))
  expect((await device.call('POST', '/api/devices/incoming', { items })).status).toBe(200)
}
const notices = () => service.pushed.map(({ text }) => JSON.parse(text))
const pushed = (count: number) => until(`${count} pushes`, () => service.pushed.length >= count)
/** Until nothing waits for a push. */
const settled = (state = 'done') =>
  until('an empty queue', async () => {
    const rows = await query('select from push_queue where "user" = $1 and state <> $2', [user.id, state])
    return rows.length === 0
  })
/** As if the pause between two pushes of a conversation were over. What a node is pushing stays its own. */
const endPause = () =>
  query(`update push_queue set due_at = now() where "user" = $1 and state = 'waiting'`, [user.id])

describe('a text that comes in', () => {
  test('is pushed to the browser, encrypted, with the start of the text', async () => {
    const { key } = (await user.call('GET', '/api/account/push-key')).body
    expect((await subscribe()).status).toBe(204)
    await user.call('POST', '/api/collections/contacts/records', { user: user.id, name: 'Zoë', phone: ZOE })
    await hear([[ZOE, `${'🎉'.repeat(119)}ab`]])
    await pushed(1)
    const [conversation] = (await query('select id from conversations where "user" = $1', [user.id]))[0]!
    const text = `${'🎉'.repeat(119)}a`
    expect(notices()).toEqual([{ conversation, number: ZOE, name: 'Zoë', text, unread: 1 }])
    expect(service.pushed[0]!.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      urgency: 'high',
      topic: conversation,
      ttl: '86400',
    })
    expect(service.pushed[0]!.headers.authorization).toContain(`k=${key}`)
  })

  test('is pushed to each browser of its user, and to nobody else', async () => {
    const other = await server.makeUser()
    await subscribe(user, service.subscription('/a'))
    await subscribe(user, service.subscription('/b'))
    await subscribe(other, service.subscription('/c'))
    await hear([[ZOE, 'Hello']])
    await pushed(2)
    await settled()
    expect(service.pushed).toHaveLength(2)
  })

  test('queues nothing for a user without browsers', async () => {
    await hear([[ZOE, 'Hello']])
    expect(await query('select from push_queue where "user" = $1', [user.id])).toEqual([])
  })

  test('is not pushed once it was read', async () => {
    await subscribe()
    await hear([[ZOE, 'One']])
    await pushed(1)
    await settled()
    await hear([[ZOE, 'Two']])
    await query('update conversations set unread = 0 where "user" = $1', [user.id])
    await endPause()
    await settled()
    expect(notices().map(({ text }) => text)).toEqual(['One'])
  })

  test('is not pushed for a disabled user, whose browsers end', async () => {
    await subscribe()
    const settings = { user: user.id, disabled: true }
    const path = '/api/collections/user_settings/records'
    expect((await server.superuser.call('POST', path, settings)).status).toBe(200)
    expect(await query('select from push_subscriptions where "user" = $1', [user.id])).toEqual([])
    // a subscription that came back with a restored table is not used either
    await query(
      `insert into push_subscriptions (id, "user", endpoint, keys, user_agent) values ('x', $1, $2, $3, '')`,
      [user.id, service.subscription().endpoint, JSON.stringify(service.subscription().keys)],
    )
    await query(
      `insert into conversations (id, "user", number, unread, archived) values (pb_new_id(), $1, $2, 1, false)`,
      [user.id, ZOE],
    )
    await query(
      `insert into push_queue (conversation, "user") select id, "user" from conversations where "user" = $1`,
      [user.id],
    )
    await settled()
    expect(service.pushed).toEqual([])
  })
})

describe('a burst', () => {
  test('of 100 texts in one conversation is two pushes', async () => {
    await subscribe()
    await hear([[ZOE, 'first']])
    await pushed(1)
    await settled()
    for (let i = 0; i < 10; i++)
      await hear(Array.from({ length: 10 }, (_, k) => [ZOE, `text ${i * 10 + k}`] as const))
    await endPause()
    await pushed(2)
    await settled()
    expect(notices().map(({ text, unread }) => [text, unread])).toEqual([
      ['first', 1],
      ['text 99', 101],
    ])
  })

  test('of many conversations at once is one push', async () => {
    await subscribe()
    await hear(Array.from({ length: 50 }, (_, i) => [`+49151000000${i + 10}`, 'Hi'] as const))
    await pushed(1)
    await settled()
    expect(notices()).toEqual([{ conversations: 50 }])
  })

  test('is at most 60 pushes an hour for an account', async () => {
    await subscribe()
    await query(`insert into push_hours values ($1, 59, now() + interval '30 minutes')`, [user.id])
    await hear([
      [ZOE, 'Hello'],
      [MAX, 'Hello'],
    ])
    await settled()
    expect(service.pushed).toHaveLength(1)
    await query(`update push_hours set ends = now() where "user" = $1`, [user.id])
    await hear([[ZOE, 'An hour later']])
    await endPause()
    await pushed(2)
  })

  test('waits 10 seconds for the next push of a conversation', async () => {
    await subscribe()
    await hear([[ZOE, 'One']])
    await pushed(1)
    await settled()
    await hear([[ZOE, 'Two']])
    const [row] = await query(
      `select state, due_at > now() + interval '5 seconds', due_at <= now() + interval '10 seconds' from push_queue where "user" = $1`,
      [user.id],
    )
    expect(row).toEqual(['waiting', true, true])
  })
})

test('several nodes push once', async () => {
  const { store, config } = server.server.services
  const nodes = Array.from({ length: 4 }, () =>
    startPushes(store, config, createLogger({ logLevel: 'silent' })),
  )
  await subscribe()
  for (let i = 0; i < 5; i++) {
    await hear([[ZOE, `text ${i}`]])
    await endPause()
    await pushed(i + 1)
    await settled()
  }
  for (const stop of nodes) await stop()
  expect(notices().map(({ text }) => text)).toEqual([0, 1, 2, 3, 4].map((i) => `text ${i}`))
})

test('what a node that died had leased is pushed by another', async () => {
  await subscribe()
  await hear([[ZOE, 'One']])
  await pushed(1)
  await settled()
  await query(`update push_queue set state = 'leased', due_at = now() where "user" = $1`, [user.id])
  await pushed(2)
})

describe('a subscription', () => {
  test.each([404, 410])('that its push service no longer knows (%i) is deleted', async (status) => {
    service.answer(status)
    await subscribe()
    await hear([[ZOE, 'Hello']])
    await until('the end', async () => (await browsers()).length === 0)
  })

  test('that fails is kept, and deleted after 100 failures in a row', async () => {
    service.answer(503)
    await subscribe()
    await hear([[ZOE, 'One']])
    await pushed(1)
    await settled()
    expect(await query('select failures from push_subscriptions where "user" = $1', [user.id])).toEqual([[1]])
    await query('update push_subscriptions set failures = 99')
    await hear([[ZOE, 'Two']])
    await endPause()
    await until('the end', async () => (await browsers()).length === 0)
  })

  test('is listed and ended, alone or with all others', async () => {
    await subscribe(user, service.subscription('/a'))
    await subscribe(user, service.subscription('/b'))
    await subscribe(user, service.subscription('/b'))
    expect(await browsers()).toHaveLength(2)
    const endpoint = service.subscription('/a').endpoint
    const stranger = await server.makeUser()
    const path = `/api/account/push?endpoint=${encodeURIComponent(endpoint)}`
    expect((await stranger.call('DELETE', path)).status).toBe(204)
    expect(await browsers()).toHaveLength(2)
    expect((await user.call('DELETE', path)).status).toBe(204)
    expect(await browsers()).toMatchObject([{ endpoint: service.subscription('/b').endpoint }])
    expect((await user.call('DELETE', '/api/account/push')).status).toBe(204)
    expect(await browsers()).toEqual([])
  })

  test('goes with its browser to the next user there, and cannot be taken without its keys', async () => {
    await subscribe()
    const next = await server.makeUser()
    const { endpoint } = service.subscription()
    const other = await startPushService()
    const refused = await subscribe(next, { ...other.subscription(), endpoint })
    await other.stop()
    expect([refused.status, refused.body.message]).toEqual([400, 'endpoint belongs to another account'])
    expect(await browsers()).toHaveLength(1)
    expect((await subscribe(next)).status).toBe(204)
    expect([await browsers(), (await browsers(next)).length]).toEqual([[], 1])
  })

  test('is one of 20 at most: the oldest goes', async () => {
    for (let i = 0; i < 22; i++) await subscribe(user, service.subscription(`/${i}`))
    const items = await browsers()
    expect(items).toHaveLength(20)
    expect(items[0].endpoint).toBe(service.subscription('/21').endpoint)
  })

  test('ends with the other sessions of the account', async () => {
    await subscribe()
    expect((await user.call('POST', '/api/account/end-other-sessions')).status).toBe(200)
    expect(await query('select from push_subscriptions')).toEqual([])
  })

  test.each([
    ['no address', { endpoint: 'here', keys: {} }],
    ['keys that are none', { endpoint: 'https://push.example.org/x', keys: { p256dh: 'x', auth: 'y' } }],
    ['null', 'null'],
  ])('%s is none', async (_, subscription) => {
    expect((await subscribe(user, subscription)).status).toBe(400)
  })

  test('is for users alone', async () => {
    expect((await subscribe(server.guest)).status).toBe(401)
    expect((await subscribe(server.superuser)).status).toBe(403)
    expect((await subscribe(phone)).status).toBe(403)
  })
})

test('rows that limit nothing any more are deleted', async () => {
  await query(
    `insert into push_queue values ('old', $1, 'done', now()), ('new', $1, 'done', now() + interval '9 s')`,
    [user.id],
  )
  await query(`insert into push_hours values ($1, 5, now())`, [user.id])
  await cleanUpPushes(server.server.services.store.db)
  expect(await query('select conversation from push_queue where "user" = $1', [user.id])).toEqual([['new']])
  expect(await query('select from push_hours where "user" = $1', [user.id])).toEqual([])
})

test('private push addresses are refused unless the settings allow them', async () => {
  const strict = await startServerWithDevices()
  const refused = await subscribe(await strict.makeUser())
  expect(refused.status).toBe(400)
  const outside = { ...service.subscription(), endpoint: 'https://push.example.com/push' }
  const owner = await strict.makeUser()
  const device = await strict.pair(owner)
  expect((await subscribe(owner, outside)).status).toBe(204)
  const { db } = strict.server.services.store
  // where its name leads by now
  await db.query(`update push_subscriptions set endpoint = 'https://127.0.0.1/push'`)
  await hear([[ZOE, 'Hello']], device)
  await until('a failure', async () => {
    const { rows } = await db.query('select failures from push_subscriptions')
    return rows[0]?.[0] === 1
  })
  await strict.stop()
})
