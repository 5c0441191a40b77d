import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { startPushService } from '../../support/services/push-service.ts'
import { until } from '../../support/until.ts'

// Texts come in over HTTP, and a push service decrypts what the server sends to a browser.

const ZOE = '+4915112345678'
const MAX = '+4915187654321'

let service: Awaited<ReturnType<typeof startPushService>>
let user: Client
let phone: Client

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { makeUser, superuser } = server

beforeEach(async () => {
  service = await startPushService()
  user = await makeUser()
  phone = await server.pair(user)
})
afterEach(async () => {
  await query('delete from push_subscriptions')
  await service.stop()
})

const query = (sql: string, params?: unknown[]) => server.query(sql, params)
const subscribe = (who = user, subscription: unknown = service.subscription()) =>
  who.call('PUT', '/api/account/push', subscription)
const browsers = async (who = user) => (await who.call('GET', '/api/account/push')).body.items

const hear = (texts: readonly (readonly [from: string, body: string])[]) =>
  server.hear(phone, texts)
const notices = () => service.pushed.map(({ text }) => JSON.parse(text))
const jobs = () =>
  query('select key, payload::text, due_at > now() from _jobs where holder = $1', [user.id])
const settled = () => until('no jobs', async () => (await jobs()).length === 0)
/** So many pushes came, and none is to come. */
async function pushed(count: number) {
  await until(`${count} pushes`, () => service.pushed.length >= count)
  await settled()
}
/** As if the pause between two pushes were over. */
const endPause = () =>
  query('update _jobs set due_at = now() where holder = $1 and key = holder', [user.id])

test('a text is pushed, encrypted, with its beginning to each browser of its user only', async () => {
  const { key } = (await user.call('GET', '/api/account/push-key')).body
  expect((await subscribe(user, service.subscription('/a'))).status).toBe(204)
  await subscribe(user, service.subscription('/b'))
  await subscribe(await makeUser(), service.subscription('/c'))
  await user.call('POST', '/api/collections/contacts/records', {
    user: user.id,
    name: 'Zoë',
    phone: ZOE,
  })
  await hear([[ZOE, `${'🎉'.repeat(119)}ab`]])
  await pushed(2)
  const [conversation] = (
    await query('select id from conversations where "user" = $1', [user.id])
  )[0]!
  const notice = { conversation, number: ZOE, name: 'Zoë', text: `${'🎉'.repeat(119)}a`, unread: 1 }
  expect(notices()).toEqual([notice, notice])
  expect(service.pushed[0]!.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    urgency: 'high',
    topic: conversation,
    ttl: '86400',
    authorization: expect.stringContaining(`k=${key}`),
  })
})

test('texts read in the meantime are not pushed, and without browsers no push is queued', async () => {
  await hear([[ZOE, 'Zero']])
  expect(await jobs()).toEqual([])
  await subscribe()
  await hear([[ZOE, 'One']])
  await pushed(1)
  await hear([[ZOE, 'Two']])
  await query('update conversations set unread = 0 where "user" = $1', [user.id])
  await endPause()
  await settled()
  expect(notices().map(({ text }) => text)).toEqual(['One'])
})

test('a disabled user gets no pushes and loses their subscriptions', async () => {
  await subscribe()
  const settings = { user: user.id, disabled: true }
  const path = '/api/collections/user_settings/records'
  expect((await superuser.call('POST', path, settings)).status).toBe(200)
  expect(await query('select from push_subscriptions where "user" = $1', [user.id])).toEqual([])
  // a subscription that came back with a restored table is not used either
  const { endpoint, keys } = service.subscription()
  await query(
    `insert into push_subscriptions (id, "user", endpoint, keys, user_agent) values ('x', $1, $2, $3, '')`,
    [user.id, endpoint, JSON.stringify(keys)],
  )
  const conversation = `insert into conversations (id, "user", number, unread, archived)
    values (pb_new_id(), $1, $2, 1, false) returning id`
  const [[id]] = (await query(conversation, [user.id, ZOE])) as [[string]]
  await query(`insert into _jobs (kind, holder, key, payload) values ('push', $1, $1, $2)`, [
    user.id,
    JSON.stringify([id]),
  ])
  await settled()
  expect(service.pushed).toEqual([])
})

test('a burst of texts causes two pushes ten seconds apart', async () => {
  await subscribe()
  await hear([[ZOE, 'first']])
  await pushed(1)
  for (let i = 0; i < 10; i++)
    await hear(Array.from({ length: 10 }, (_, k) => [ZOE, `text ${i * 10 + k}`] as const))
  expect(await jobs()).toMatchObject([[user.id, expect.anything(), true]])
  await endPause()
  await pushed(2)
  expect(notices().map(({ text, unread }) => [text, unread])).toEqual([
    ['first', 1],
    ['text 99', 101],
  ])
})

test('members are notified by their own settings and when a note mentions them', async () => {
  const members = new Map<string, string>()
  for (const notify of ['all', 'mine', 'none']) {
    const values = { account: user.id, member: (await makeUser()).id, role: 'agent', notify }
    members.set(
      notify,
      (await superuser.call('POST', '/api/collections/members/records', values)).body.id,
    )
  }
  for (const [notify, id] of members) {
    await subscribe(user, service.subscription(`/${notify}`))
    await query(`update push_subscriptions set sender = $2 where sender = '' and "user" = $1`, [
      user.id,
      id,
    ])
  }
  await subscribe(user, service.subscription('/owner'))
  const told = () => service.pushed.map(({ path, text }) => [path, JSON.parse(text).text]).sort()
  const records = (name: string) => `/api/collections/${name}/records`
  await hear([[ZOE, 'For all']])
  await pushed(3)
  expect(told()).toEqual(['/all', '/mine', '/owner'].map((path) => [path, 'For all']))

  const [{ id }] = (await user.call('GET', records('conversations'))).body.items
  await user.call('PATCH', `${records('conversations')}/${id}`, { assignee: members.get('all') })
  await user.call('POST', records('user_settings'), { user: user.id, notify: 'mine' })
  service.pushed.length = 0
  await hear([[ZOE, 'For one']])
  await endPause()
  await pushed(1)
  expect(told()).toEqual([['/all', 'For one']])

  service.pushed.length = 0
  const note = {
    user: user.id,
    conversation: id,
    text: 'Look',
    mentions: [...members.values(), user.id],
  }
  const made = await user.call('POST', records('conversation_notes'), note)
  await user.call('PATCH', `${records('conversation_notes')}/${made.body.id}`, {
    text: 'Look here',
  })
  await endPause()
  await pushed(3)
  expect(told().map(([path]) => path)).toEqual(['/all', '/mine', '/none'])
  expect(told()[0]![1]).toMatch(/: Look here$/)
})

test('browsers are notified within the hours of their person, and silently if the person wants no sound', async () => {
  const settings = '/api/collections/user_settings/records'
  // half an hour apart from the hours of the server
  const notify_zone = 'America/St_Johns'
  const time = (ms: number) =>
    new Date(Date.now() + ms).toLocaleTimeString('en-GB', {
      timeZone: notify_zone,
      hour: '2-digit',
      minute: '2-digit',
    })
  const [before, soon, later] = [-3_600_000, 3_600_000, 7_200_000].map(time)
  const away = { user: user.id, notify_from: soon, notify_to: later, notify_zone }
  const { body } = await user.call('POST', settings, away)
  await subscribe()
  await hear([[ZOE, 'At night']])
  await settled()
  expect(service.pushed).toEqual([])
  const change = { notify_from: before, notify_to: soon, notify_silent: true }
  expect((await user.call('PATCH', `${settings}/${body.id}`, change)).status).toBe(200)
  await hear([[ZOE, 'At work']])
  await endPause()
  await pushed(1)
  expect(notices()).toMatchObject([{ text: 'At work', unread: 2, silent: true }])
  const half = { notify_from: '' }
  expect((await user.call('PATCH', `${settings}/${body.id}`, half)).status).toBe(400)
})

test('texts in many conversations at once cause one push', async () => {
  await subscribe()
  await hear(Array.from({ length: 50 }, (_, i) => [`+49151000000${i + 10}`, 'Hi'] as const))
  await pushed(1)
  expect(notices()).toEqual([{ conversations: 50 }])
})

test('an account gets at most 60 pushes an hour', async () => {
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

test('a text received during a push is pushed by the next job, and an interrupted push is repeated', async () => {
  await subscribe()
  await hear([[ZOE, 'One']])
  await pushed(1)
  await hear([[ZOE, 'Two']])
  const killed = `update _jobs set key = 'run:1', runs = 1, attempts = 1, due_at = now() + interval '5 s'
    where holder = $1`
  await query(killed, [user.id])
  await hear([[MAX, 'Three']])
  expect((await jobs()).map(([key]) => key).sort()).toEqual(['run:1', user.id].sort())
  await query('update _jobs set due_at = now() where holder = $1', [user.id])
  await pushed(3)
  expect(
    notices()
      .map(({ text }) => text)
      .sort(),
  ).toEqual(['One', 'Three', 'Two'])
})

test.each([404, 410])(
  'a subscription that its push service answers with %i is deleted',
  async (status) => {
    service.answer(status)
    await subscribe()
    await hear([[ZOE, 'Hello']])
    await until('the end', async () => (await browsers()).length === 0)
  },
)

test('a failing subscription is kept and deleted after 100 failures in a row', async () => {
  service.answer(503)
  await subscribe()
  await hear([[ZOE, 'One']])
  await pushed(1)
  expect(
    await query('select failures from push_subscriptions where "user" = $1', [user.id]),
  ).toEqual([[1]])
  await query('update push_subscriptions set failures = 99')
  await hear([[ZOE, 'Two']])
  await endPause()
  await until('the end', async () => (await browsers()).length === 0)
})

test('subscriptions can be listed and ended one by one or all, and end with other sessions', async () => {
  for (const path of ['/a', '/b', '/b']) await subscribe(user, service.subscription(path))
  expect(await browsers()).toHaveLength(2)
  const path = `/api/account/push?endpoint=${encodeURIComponent(service.subscription('/a').endpoint)}`
  expect((await (await makeUser()).call('DELETE', path)).status).toBe(204)
  expect(await browsers()).toHaveLength(2)
  expect((await user.call('DELETE', path)).status).toBe(204)
  expect(await browsers()).toMatchObject([{ endpoint: service.subscription('/b').endpoint }])
  expect((await user.call('DELETE', '/api/account/push')).status).toBe(204)
  expect(await browsers()).toEqual([])
  await subscribe()
  expect((await user.call('POST', '/api/account/end-other-sessions')).status).toBe(200)
  expect(await query('select from push_subscriptions')).toEqual([])
})

test("a browser's subscription moves to its next user, but only with its keys", async () => {
  await subscribe()
  const next = await makeUser()
  const { endpoint, keys } = service.subscription()
  const refused = await subscribe(next, { endpoint, keys: { ...keys, auth: 'x'.repeat(22) } })
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'endpoint belongs to another account',
  ])
  expect((await subscribe(next)).status).toBe(204)
  expect([await browsers(), (await browsers(next)).length]).toEqual([[], 1])
})

test('a user has at most 20 subscriptions, and the oldest is removed first', async () => {
  for (let i = 0; i < 22; i++) await subscribe(user, service.subscription(`/${i}`))
  const items = await browsers()
  expect(items).toHaveLength(20)
  expect(items[0].endpoint).toBe(service.subscription('/21').endpoint)
})

test.each([
  ['no address', { endpoint: 'here', keys: {} }],
  ['invalid keys', { endpoint: 'https://push.example.org/x', keys: { p256dh: 'x', auth: 'y' } }],
  ['null', 'null'],
])('a subscription with %s is refused', async (_, subscription) => {
  expect((await subscribe(user, subscription)).status).toBe(400)
})

test('only users can subscribe', async () => {
  const refused = [
    await subscribe(server.guest),
    await subscribe(superuser),
    await subscribe(phone),
  ]
  expect(refused.map(({ status }) => status)).toEqual([401, 403, 403])
})

test('private push addresses are refused unless allowed, also if a name resolves to one later', async () => {
  const strict = await startServerWithDevices()
  const owner = await strict.makeUser()
  expect((await subscribe(owner)).status).toBe(400)
  const outside = { ...service.subscription(), endpoint: 'https://push.example.com/push' }
  expect((await subscribe(owner, outside)).status).toBe(204)
  await strict.query(`update push_subscriptions set endpoint = 'https://127.0.0.1/push'`)
  await strict.hear(await strict.pair(owner), [[ZOE, 'Hello']])
  const failures = async () => (await strict.query('select failures from push_subscriptions'))[0]
  await until('a failure', async () => (await failures())?.[0] === 1)
  await strict.stop()
})

test('a failed text is pushed to its author, and a failed text of a key to all notified members', async () => {
  const member = await makeUser()
  const values = { account: user.id, member: member.id, role: 'agent', notify: 'none' }
  const path = '/api/collections/members/records'
  const { id } = (await superuser.call('POST', path, values)).body
  await subscribe(user, service.subscription('/member'))
  await query('update push_subscriptions set sender = $2 where "user" = $1', [user.id, id])
  await subscribe(user, service.subscription('/owner'))
  await hear([[ZOE, 'Is there parking?']])
  await pushed(1)
  const send = async (body: string) =>
    (await user.call('POST', '/api/sms/send', { recipients: [ZOE], body })).body.message_ids[0]
  const fail = async (message: string) => {
    await endPause()
    const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 9 })).body
    const report = {
      id: message,
      attempt: items[0].attempt,
      status: 'failed',
      error_message: 'No signal',
    }
    await phone.call('POST', '/api/devices/report', { items: [report] })
  }
  service.pushed.length = 0
  const text = await send('Yes')
  await query('update sms_messages set sent_by = $2 where id = $1', [text, id])
  await fail(text)
  await endPause()
  await pushed(1)
  expect(service.pushed.map(({ path }) => path)).toEqual(['/member'])
  expect(notices()).toMatchObject([{ number: ZOE, text: 'Yes', failure: 'Not sent: No signal' }])
  service.pushed.length = 0
  const ofKey = await send('Open till six')
  await query(`update sms_messages set sent_by = '' where id = $1`, [ofKey])
  await fail(ofKey)
  await endPause()
  await pushed(1)
  expect(service.pushed.map(({ path }) => path)).toEqual(['/owner'])
})
