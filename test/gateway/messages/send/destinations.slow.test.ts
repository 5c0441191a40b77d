import { basic, request } from '../../../support/server/request.ts'
import {
  type Answer,
  must,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'

const fixture = await startServerWithDevices()
const { query, url, guest } = fixture
const OK = '+4915112345678'
const HI = { body: 'Hi' }

test.each([
  ['', '+8816123'],
  ['+49', OK],
  ['49,43', '+436601'],
  ['+7', '+78401234567'],
  ['-7840,7', '+79161234567'],
  ['+1,-1876,+1876555', '+18765551234'],
  ['-881,-882', OK],
])('destinations "%s" contain %s', async (destinations, number) => {
  expect(await query('select sms_is_destination($1, $2)', [destinations, number])).toEqual([[true]])
})

test.each([
  ['+49', '+8816123'],
  ['+4915', '+4930123'],
  ['+7,-7840', '+78401234567'],
  ['+1,-1876,+1876555', '+18761234567'],
  ['-881,-882', '+8816123'],
])('destinations "%s" do not contain %s', async (destinations, number) => {
  expect(await query('select sms_is_destination($1, $2)', [destinations, number])).toEqual([
    [false],
  ])
})

/** An account with a phone, a template and keys. */
async function account(destinations: string, ofKeys = '') {
  const user = await fixture.makeUser()
  const phone = await fixture.pair(user)
  const make = (name: string, values: object) =>
    must(user, 'POST', `/api/collections/${name}/records`, { user: user.id, name: 'x', ...values })
  const settings = await make('user_settings', { destinations })
  const template = await make('sms_templates', HI)
  const { key } = await make('api_keys', { scopes: ['all:any'], destinations: ofKeys })
  const twilio = await make('api_keys', { twilio: true, destinations: ofKeys })
  return { user, phone, make, settings, template, key, twilio }
}
type Account = Awaited<ReturnType<typeof account>>

const GATEWAY = { error: 'destination_not_allowed' }
const IN_WORDS = { message: expect.stringContaining('destinations') }
const ofUser =
  (path: string, body: (to: string) => object) =>
  ({ user }: Account, to: string) =>
    user.call('POST', path, body(to))

/** A door's name, a request by it, the status and body of its refusal. */
type Door = readonly [
  name: string,
  ask: (by: Account, to: string) => Promise<Answer>,
  number,
  object,
]

const OF_ACCOUNT: readonly Door[] = [
  ['send', ofUser('/api/sms/send', (to) => ({ ...HI, recipients: [to] })), 403, GATEWAY],
  ['batch', ofUser('/api/sms/send', (to) => ({ ...HI, recipients: [OK, to] })), 403, GATEWAY],
  ['preview', ofUser('/api/sms/preview', (to) => ({ ...HI, recipients: [to] })), 403, GATEWAY],
  ['campaign', ofUser('/api/campaigns', (to) => ({ ...HI, recipients: [OK, to] })), 403, GATEWAY],
  [
    'hook',
    async ({ make, user }, to) => {
      const { secret, id } = await make('hooks', { preset: 'text', recipients: [to] })
      const answer = await guest.call('POST', `/api/hooks/${secret}`, 'Down')
      await user.call('DELETE', `/api/collections/hooks/records/${id}`)
      return answer
    },
    ...([403, IN_WORDS] as const),
  ],
]
const OF_KEY: readonly Door[] = [
  [
    'template',
    ({ key, template }, to) => {
      const body = { recipients: [to], template_id: template.id }
      return request(url, 'POST', '/api/sms/send-template', body, { 'x-api-key': key })
    },
    ...([403, GATEWAY] as const),
  ],
  [
    'SMSGate',
    ({ user, key }, to) => {
      const body = { textMessage: { text: 'Hi' }, phoneNumbers: [to] }
      return request(url, 'POST', '/api/3rdparty/v1/messages', body, basic(user.id, key))
    },
    ...([403, IN_WORDS] as const),
  ],
  [
    'Twilio',
    ({ twilio: { account_sid, auth_token } }, To) => {
      const path = `/2010-04-01/Accounts/${account_sid}/Messages.json`
      const body = new URLSearchParams({ To, Body: 'Hi' })
      return request(url, 'POST', path, body, basic(account_sid, auth_token))
    },
    ...([400, { code: 21408, status: 400 }] as const),
  ],
  [
    'MCP',
    async ({ key }, to) => {
      const params = { name: 'send_message', arguments: { ...HI, recipients: [to] } }
      const headers = { 'x-api-key': key, accept: 'application/json, text/event-stream' }
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const { status, text } = await request(url, 'POST', '/mcp', [call], headers)
      return { status, body: JSON.parse(/^data: ([{].*)$/m.exec(text)![1]!).result }
    },
    ...([
      200,
      { isError: true, content: [{ text: expect.stringContaining('destinations') }] },
    ] as const),
  ],
]

const stored = async ({ user }: Account) =>
  (
    await query(
      `select (select count(*) from sms_messages where "user" = $1), (select count(*) from sms_dispatch where "user" = $1),
        (select count(*) from campaigns where "user" = $1), (select count(*) from sms_usage where "user" = $1)`,
      [user.id],
    )
  )[0]!.map(Number)

const COSTLY = [
  '+881612345',
  '+88299123',
  '+784012345',
  '+1876123456',
  '+96012345',
  '+263712345',
  '+4915100',
]
const ALLOWED = '+49,-49151,+7,-7840,+1,-1876'

test.each([
  ['the account', ALLOWED.replace('-49151', '+49151123,-49151'), '', [...OF_ACCOUNT, ...OF_KEY]],
  ['the key', '', ALLOWED.replace('-49151', '+49151123,-49151'), OF_KEY],
])(
  '100 sends through all APIs to destinations forbidden for %s store and count nothing',
  async (_, ofUsers, ofKeys, doors) => {
    const by = await account(ofUsers, ofKeys)
    for (let at = 0; at < 100; at += 20)
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const [name, ask, status, body] = doors[(at + i) % doors.length]!
          const to = `${COSTLY[(at + i) % COSTLY.length]}${at + i}`
          expect([name, await ask(by, to)]).toMatchObject([name, { status, body }])
        }),
      )
    expect(await stored(by)).toEqual([0, 0, 0, 0])
    for (const [name, ask] of doors)
      expect([name, await ask(by, OK)]).toMatchObject([
        name,
        { status: expect.toSatisfy((is) => is < 300) },
      ])
  },
)

test('a retry, a changed campaign and a resumed campaign cannot reach forbidden destinations either', async () => {
  const by = await account('')
  const { user, settings } = by
  const call = (method: string, path: string, body?: object) => user.call(method, path, body)
  const sent = await must(user, 'POST', '/api/sms/send', { ...HI, recipients: ['+8816123'] })
  const [id] = sent.message_ids
  await query(`update sms_messages set status = 'failed' where id = $1`, [id])
  const later = { ...HI, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }
  const campaign = await must(user, 'POST', '/api/campaigns', { ...later, recipients: [OK] })
  const begun = await must(user, 'POST', '/api/campaigns', { ...later, recipients: ['+8816124'] })
  await expect
    .poll(() => query('select from campaigns where "user" = $1 and not settled', [user.id]))
    .toEqual([])
  await call('PATCH', `/api/collections/user_settings/records/${settings.id}`, {
    destinations: '49',
  })
  const refused = { status: 403, body: GATEWAY }
  expect(await call('POST', `/api/sms/messages/${id}/retry`)).toMatchObject(refused)
  const to = { recipients: ['+8816124'] }
  expect(await call('PATCH', `/api/campaigns/${campaign.id}`, to)).toMatchObject(refused)
  // its chunks are not stored yet
  await query(
    `update campaigns set audience = recipients, settled = false, revision = 2 where id = $1`,
    [begun.id],
  )
  await query('delete from sms_messages where batch_id = $1', [begun.batch_id])
  await expect
    .poll(() => query('select status, error from campaigns where id = $1 and settled', [begun.id]))
    .toEqual([['failed', expect.stringContaining('destinations')]])
})

test('no automatic answer is sent to a forbidden destination', async () => {
  const by = await account('+49')
  await by.make('auto_answers', { ...HI, enabled: true, match: 'any' })
  await fixture.hear(by.phone, [
    ['+8816123456', 'Hello'],
    [OK, 'Hello'],
  ])
  const answers = () =>
    query(`select "to" from sms_messages where "user" = $1 and message_type = 'outgoing'`, [
      by.user.id,
    ])
  await expect.poll(() => query('select from _jobs where holder = $1', [by.user.id])).toEqual([])
  expect(await answers()).toEqual([[OK]])
})

test.each(['+49;+43', '+', 'DE', '+49,', '*'])(
  '"%s" is refused as a list of destinations',
  async (destinations) => {
    const user = await fixture.makeUser()
    for (const name of ['user_settings', 'api_keys']) {
      const values = { user: user.id, name: 'x', destinations }
      const refused = await user.call('POST', `/api/collections/${name}/records`, values)
      const data = { destinations: { code: 'validation_invalid_format' } }
      expect([name, refused]).toMatchObject([name, { status: 400, body: { data } }])
    }
  },
)
