import { USERS_ID } from '../../../src/engine/collections/collection.ts'
import { makeSamples, OWNED, SAMPLES } from '../../support/sample-records.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Two users who must never see or touch what is the other's. Everything of Bob's carries the word SECRET.

const NAMES = [...OWNED.keys()]

/** What Alice would like to change in a record: its first text. */
function changeOf(name: string): Record<string, unknown> {
  const text = OWNED.get(name)!.fields.find((field) => field.type === 'text' && field.name !== 'id')
  return { [text?.name ?? 'user']: 'mine now' }
}

/** An id of Bob's in each collection that has one, and of things that are no records. */
const bobs: Record<string, string> = {}

const records = (name: string) => `/api/collections/${name}/records`

async function make(who: Client, name: string, values: object): Promise<string> {
  const { status, body } = await who.call('POST', records(name), { user: who.id, ...values })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.id
}

/** All that the database holds of Bob, but times of his devices and records. */
async function snapshot(): Promise<string> {
  const tables = NAMES.map(
    (name) => `select '${name}', to_jsonb(t) - '{last_seen,last_used_at,updated}'::text[]
      from "${name}" t where "${name === 'users' ? 'id' : 'user'}" = $1`,
  )
  return JSON.stringify(await server.query(`${tables.join(' union all ')} order by 1, 2`, [bob.id]))
}

const server = await startServerWithDevices()
const [alice, bob] = [await server.makeUser(), await server.makeUser()]
const [alicesPhone, bobsPhone] = [
  await server.pair(alice),
  await server.pair(bob, { name: 'SECRET phone' }),
]
bobs.users = bob.id
bobs.devices = bobsPhone.id
Object.assign(
  bobs,
  await makeSamples('SECRET', (collection, values) => make(bob, collection, values)),
)
const lines = await bob.call('GET', records('lines'))
bobs.lines = lines.body.items[0].id
const { secret: bobsHook } = (await bob.call('GET', `${records('hooks')}/${bobs.hooks}`)).body
expect((await server.guest.call('POST', `/api/hooks/${bobsHook}`, { text: 'SECRET' })).status).toBe(
  200,
)
bobs.verifications = (await bob.call('POST', '/api/verify', { to: '+491700000001' })).body.id
bobs.hook_calls = (await bob.call('GET', records('hook_calls'))).body.items[0].id
const send = { recipients: ['+491700000001', '+491700000002'], body: 'SECRET' }
const { body } = await bob.call('POST', '/api/sms/send', send)
bobs.batch = body.batch_id
bobs.sms_messages = body.message_ids[0]
const usage = await bob.call('GET', records('sms_usage'))
bobs.sms_usage = usage.body.items[0].id
const before = await snapshot()

test('each collection in which accounts create records has a sample', () => {
  const open = [...OWNED.values()].filter(
    ({ id, createRule }) => id !== USERS_ID && createRule !== null,
  )
  expect(Object.keys(SAMPLES).sort()).toEqual(open.map(({ name }) => name).sort())
})

describe.each([
  ['a user', () => alice],
  ['a device', () => alicesPhone],
  ['nobody', () => server.guest],
] as const)('%s', (_, who) => {
  test.each(NAMES)(
    'does not see a foreign record of %s in lists, by filter, sort, relation or expand',
    async (name) => {
      const owner = name === 'users' ? 'id' : 'user'
      const queries = [
        '',
        `filter=${encodeURIComponent(`${owner} = "${bob.id}"`)}`,
        `filter=${encodeURIComponent(`${owner} != "" || id != ""`)}`,
        `filter=${encodeURIComponent(name === 'users' ? 'contacts_via_user.name ~ "SECRET"' : 'user.contacts_via_user.name ?~ "SECRET"')}`,
        `sort=${owner}&expand=user,device,message,groups&skipTotal=1`,
      ]
      for (const query of queries) {
        const { body } = await who().call('GET', `${records(name)}?${query}`)
        const text = JSON.stringify(body)
        expect(text, query).not.toContain('SECRET')
        expect(body.items ?? []).not.toContainEqual(expect.objectContaining({ [owner]: bob.id }))
      }
    },
  )

  test.each(NAMES)('cannot view, change or delete a foreign record of %s', async (name) => {
    const path = `${records(name)}/${bobs[name] ?? 'doesnotexist000'}`
    const view = await who().call('GET', `${path}?expand=user,device,groups`)
    expect([401, 403, 404]).toContain(view.status)
    const change = await who().call('PATCH', path, changeOf(name))
    expect([400, 403, 404]).toContain(change.status)
    const removal = await who().call('DELETE', path)
    expect([400, 403, 404]).toContain(removal.status)
    const batch = await who().call('POST', '/api/batch', {
      requests: [{ method: 'DELETE', url: path }],
    })
    expect(batch.status).toBe(400)
    expect(JSON.stringify([view, change, removal, batch])).not.toContain('SECRET')
    expect(await snapshot()).toBe(before)
  })

  test.each(NAMES)('cannot create a record of %s for another user', async (name) => {
    const planted = {
      user: bob.id,
      name: 'planted',
      phone: '+491700000009',
      events: ['message.sent'],
    }
    const { status } = await who().call('POST', records(name), { ...changeOf(name), ...planted })
    expect([400, 403]).toContain(status)
    expect(await snapshot()).toBe(before)
  })
})

test("a preview refuses another user's template", async () => {
  const body = { recipients: ['+491700000003'], template_id: bobs.sms_templates }
  const answer = await alice.call('POST', '/api/sms/preview', body)
  const message = 'Template does not belong to user.'
  expect(answer).toEqual({ status: 400, body: { error: 'invalid_template', message } })
})

test("sends refuse another user's line, and automatic answers another's line or template", async () => {
  const text = { recipients: ['+491700000003'], body: 'x' }
  for (const named of [{ line_id: bobs.lines }, { from: '+491511111111' }])
    expect((await alice.call('POST', '/api/sms/send', { ...text, ...named })).status).toBe(404)
  const answer = { user: alice.id, match: 'any', body: 'x' }
  for (const taken of [{ lines: [bobs.lines] }, { template: bobs.sms_templates }])
    expect(
      (await alice.call('POST', records('auto_answers'), { ...answer, ...taken })).status,
    ).toBe(400)
  expect(await snapshot()).toBe(before)
})

test("another user's batch and messages cannot be counted, changed, canceled or sent again", async () => {
  const batch = await alice.call('GET', `/api/sms/batches/${bobs.batch}`)
  const unknown = await alice.call('GET', '/api/sms/batches/doesnotexist000')
  expect(batch).toEqual(unknown)
  const later = { scheduled_at: '2099-01-01' }
  expect(
    (await alice.call('POST', `/api/sms/batches/${bobs.batch}/reschedule`, later)).status,
  ).toBe(404)
  expect((await alice.call('PATCH', `/api/sms/messages/${bobs.sms_messages}`, later)).status).toBe(
    404,
  )
  expect(
    (await alice.call('POST', `/api/sms/messages/${bobs.sms_messages}/cancel`, {})).status,
  ).toBe(404)
  expect(
    (await alice.call('POST', `/api/sms/messages/${bobs.sms_messages}/retry`, {})).status,
  ).toBe(404)
  expect(await snapshot()).toBe(before)
})

test("another user's webhook cannot be tested or rotated, nor its deliveries read or sent again", async () => {
  for (const action of ['test', 'rotate', 'resend-failed']) {
    const path = `/api/webhooks/${bobs.webhooks}/${action}`
    const answer = await alice.call('POST', path, { since: '2026-01-01' })
    expect(answer).toMatchObject({ status: 404, body: { error: 'webhook_not_found' } })
    for (const who of [alicesPhone, bobsPhone, server.guest])
      expect([401, 403]).toContain((await who.call('POST', path)).status)
  }
  const request = await alice.call(
    'GET',
    `/api/webhooks/deliveries/${bobs.webhook_deliveries}/request`,
  )
  expect(request).toMatchObject({ status: 404, body: { error: 'delivery_not_found' } })
  expect(await snapshot()).toBe(before)
})

test("a rendered template does not use another user's contacts", async () => {
  const template = await make(alice, 'sms_templates', { name: 'hello', body: 'Hello {{name}}!' })
  const asked = { recipients: ['+491700000001'], template_id: template }
  const { body } = await alice.call('POST', '/api/sms/preview', asked)
  expect(JSON.stringify(body)).toContain('Hello !')
})

test("contacts refuse another user's group, and keys another user's device", async () => {
  const contact = { user: alice.id, phone: '+491700000005', groups: [bobs.contact_groups] }
  expect((await alice.call('POST', records('contacts'), contact)).status).toBe(400)
  const own = await make(alice, 'contacts', { phone: '+491700000006' })
  const path = `${records('contacts')}/${own}`
  expect((await alice.call('PATCH', path, { groups: [bobs.contact_groups] })).status).toBe(404)
  expect((await alice.call('PATCH', path, { 'groups+': bobs.contact_groups })).status).toBe(404)
  expect((await alice.call('PATCH', path, { user: bob.id })).status).toBe(404)
})

test('a phone cannot claim, report or receive for another user', async () => {
  expect((await alicesPhone.call('POST', '/api/devices/claim', { limit: 100 })).body.items).toEqual(
    [],
  )
  const items = [{ id: bobs.sms_messages, attempt: 1, status: 'sent' }]
  const report = await alicesPhone.call('POST', '/api/devices/report', { items })
  expect(JSON.stringify(report.body)).not.toContain('SECRET')
  const text = { from: '+491700000001', body: 'STOP', received_at: '2026-11-20 07:00:00.000Z' }
  expect((await alicesPhone.call('POST', '/api/devices/incoming', { items: [text] })).status).toBe(
    200,
  )
  expect(await snapshot()).toBe(before)
})

test('users cannot call device routes, and devices cannot call user routes', async () => {
  for (const path of ['claim', 'report', 'incoming', 'heartbeat'])
    expect((await alice.call('POST', `/api/devices/${path}`, { items: [] })).status).toBe(403)
  expect([401, 403]).toContain(
    (await alicesPhone.call('POST', '/api/sms/send', { recipients: ['+491700000003'], body: 'x' }))
      .status,
  )
  expect([401, 403]).toContain((await alicesPhone.call('POST', '/api/devices/pairing', {})).status)
})
