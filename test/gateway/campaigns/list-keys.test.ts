import { request } from '../../support/server/request.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

// API keys and agents make lists, and see and change their own campaigns.

const gateway = await startServerWithDevices()
const { query } = gateway
const ann = await gateway.makeUser()
await gateway.pair(ann)
const record = (name: string, values: object) =>
  must(ann, 'POST', `/api/collections/${name}/records`, { user: ann.id, ...values })
const group = await record('contact_groups', { name: 'Guests' })
await record('contacts', { name: 'Zoe', phone: '+4915100030009', groups: [group.id] })

const LIST = { body: 'Hi {{name}}', list: [{ to: '+4915100030001', values: { name: 'Bo' } }] }
const GROUP = { body: 'Hi', group_ids: [group.id] }

async function makeKey(values: object = {}) {
  const { id, key } = await record('api_keys', { name: 'App', ...values })
  const call = (method: string, path: string, body?: unknown) =>
    request(gateway.url, method, `/api/campaigns${path}`, body, { 'x-api-key': key })
  return { id, call }
}

test.each<[scopes: string[], list: number, group: number]>([
  [[], 200, 403],
  [['messages:send'], 200, 403],
  [['messages:read'], 403, 403],
  [['all:any'], 200, 403],
  [['campaigns:send'], 200, 200],
  [['all:any', 'campaigns:send'], 200, 200],
])(
  'a key with the scopes %j makes lists: %i, and campaigns to groups: %i',
  async (scopes, ...may) => {
    const { call } = await makeKey({ scopes })
    for (const path of ['', '/preview'])
      for (const [i, body] of [LIST, GROUP].entries())
        expect([path, i, (await call('POST', path, body)).status]).toEqual([path, i, may[i]])
  },
)

test('the bounds of an API key hold for its lists and campaigns', async () => {
  const abroad = await makeKey({ scopes: ['campaigns:send'], destinations: '+1' })
  for (const body of [LIST, GROUP]) {
    const { status, body: answer } = await abroad.call('POST', '', body)
    expect([status, answer.error]).toEqual([403, 'destination_not_allowed'])
  }
  const elsewhere = await makeKey({ addresses: '192.0.2.1' })
  expect((await elsewhere.call('POST', '', LIST)).status).toBe(403)
  const [[line]] = (await query('select id from lines where "user" = $1', [ann.id])) as [[string]]
  const bound = await makeKey({ lines: [line] })
  const { body: made } = await bound.call('POST', '', { ...LIST, hold_seconds: 0 })
  const kept = () =>
    query(
      `select d.lines from sms_messages m join sms_dispatch d on d.message = m.id where m.sent_by = $1`,
      [made.id],
    )
  await expect.poll(kept).toEqual([[[line]]])
  await query(`update user_settings set destinations = ''`)
})

test('a key reads, pauses and cancels its own campaigns, and no others', async () => {
  const [one, other] = [await makeKey(), await makeKey({ scopes: ['all:any'] })]
  const { body: made } = await one.call('POST', '', {
    ...LIST,
    scheduled_at: '2090-01-01T00:00:00Z',
  })
  const theirs = await must(ann, 'POST', '/api/campaigns', { ...LIST, hold_seconds: 3600 })
  for (const [method, path] of [
    ['GET', 'progress'],
    ['GET', 'recipients'],
    ['POST', 'pause'],
    ['POST', 'resume'],
    ['POST', 'cancel'],
  ] as const) {
    expect([path, (await other.call(method, `/${made.id}/${path}`)).status]).toEqual([path, 403])
    expect([path, (await one.call(method, `/${theirs.id}/${path}`)).status]).toEqual([path, 403])
    expect([path, (await one.call(method, `/${made.id}/${path}`)).status]).toEqual([path, 200])
  }
  const { body: rows } = await one.call('GET', `/${made.id}/recipients`)
  expect(rows.items).toEqual([
    expect.objectContaining({
      line: 1,
      to: '+4915100030001',
      status: 'failed',
      reason: 'Canceled',
    }),
  ])
})

test('a campaign of a key that is switched off or deleted pauses', async () => {
  const { id, call } = await makeKey({ scopes: ['campaigns:send'] })
  const { body: made } = await call('POST', '', {
    ...{ ...GROUP, repeat: { cron: '*/5 * * * *' } },
  })
  await must(ann, 'DELETE', `/api/collections/api_keys/records/${id}`)
  await query(`update campaigns set settled = false where id = $1`, [made.id])
  await query('update _jobs set due_at = now() where key = $1', [made.id])
  await expect
    .poll(() => query('select status from campaigns where id = $1', [made.id]))
    .toEqual([['paused']])
})

test('an API key makes no reminder', async () => {
  const { call } = await makeKey({ scopes: ['all:any', 'campaigns:send'] })
  const reminder = { collection: 'contacts', field: 'Birthday', offset: { days: 1, at: '18:00' } }
  for (const path of ['', '/preview'])
    expect((await call('POST', path, { body: 'Hi', reminder })).status).toBe(403)
})

test('an agent texts lists up to the number that the account sets, and stops only own ones', async () => {
  const bob = await gateway.makeUser()
  const [[email]] = (await query('select email from users where id = $1', [bob.id])) as [[string]]
  await query(
    `insert into members (id, account, member, role, created, updated)
    values ('agentofannshop1', $1, (select id from users where email = $2), 'agent', pb_text(now()), pb_text(now()))`,
    [ann.id, email],
  )
  const acting = await must(bob, 'POST', '/api/account/act-for', { account: ann.id })
  const agent = {
    ...bob,
    call: (method: string, path: string, body?: unknown) =>
      request(gateway.url, method, path, body, { authorization: acting.token }),
  }
  const rows = (count: number) => ({
    body: 'Hi',
    list: Array.from({ length: count }, (_, i) => ({ to: `+49151000${40_000 + i}` })),
    scheduled_at: '2090-01-01T00:00:00Z',
  })
  const make = async (count: number) =>
    (await agent.call('POST', '/api/campaigns', rows(count))).status
  expect([await make(20), await make(21)]).toEqual([200, 400])
  await query(
    `insert into user_settings (id, "user", agent_list_rows, created, updated)
    values (pb_new_id(), $1, 30, pb_text(now()), pb_text(now()))
    on conflict ("user") do update set agent_list_rows = 30`,
    [ann.id],
  )
  expect([await make(30), await make(31)]).toEqual([200, 400])
  // the owner alone sets it
  await query(`update members set role = 'admin' where id = 'agentofannshop1'`)
  const settings = await query('select id from user_settings where "user" = $1', [ann.id])
  const admin = await must(bob, 'POST', '/api/account/act-for', { account: ann.id })
  const path = `/api/collections/user_settings/records/${settings[0]![0]}`
  const change = async (values: object, authorization: string) =>
    (await request(gateway.url, 'PATCH', path, values, { authorization })).status
  expect(await change({ agent_list_rows: 31 }, admin.token)).toBe(403)
  expect(await change({ agent_list_rows: 30, reply_mail_minutes: 5 }, admin.token)).toBe(200)
  expect(await change({ agent_list_rows: 30 }, ann.token)).toBe(200)
  await query(`update members set role = 'agent' where id = 'agentofannshop1'`)
  expect((await agent.call('POST', '/api/campaigns', GROUP)).status).toBe(403)
  const theirs = await must(ann, 'POST', '/api/campaigns', rows(1))
  const own = (await agent.call('POST', '/api/campaigns', rows(1))).body
  expect((await agent.call('POST', `/api/campaigns/${theirs.id}/cancel`)).status).toBe(403)
  expect((await agent.call('GET', `/api/campaigns/${theirs.id}/progress`)).status).toBe(200)
  expect((await agent.call('POST', `/api/campaigns/${own.id}/cancel`)).status).toBe(200)
})
