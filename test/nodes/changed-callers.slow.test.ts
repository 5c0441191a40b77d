import { createServer } from 'node:http'
import { createLogger } from '../../src/platform/log.ts'
import { SMALL } from '../gateway/messages/send/mms-fixture.ts'
import { DOOR_SENDS, nameOfSend, sendByDoor } from '../protocols/door-sends.ts'
import { runServer } from '../support/database/open.ts'
import { basic, request } from '../support/server/request.ts'
import {
  type Client,
  must,
  PASSWORD,
  signIn,
  startServerWithDevices,
} from '../support/server/server-with-devices.ts'
import { listenLocally } from '../support/services/listen.ts'
import { until } from '../support/until.ts'

// Two servers on one Postgres: a caller whom the second has cached is refused at the next request after a
// change at the first, at each door.

const fixture = await startServerWithDevices({
  TRUSTED_PROXIES: '127.0.0.1',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})
const { config } = fixture.server.services
const other = await runServer(config, createLogger({ logLevel: 'silent' }))
const NODES = [fixture.url, other.url]
const pictures = await listenLocally(createServer((_, response) => response.end(SMALL)))
const { query } = fixture
const TO = '+4915112345678'
const RECORDS = '/api/collections'
const SMSGATE = '/api/3rdparty/v1'
const ADDRESS = '203.0.113.9'

/** Credentials of an account. Each door has its own, as a door that looks them up again would help others. */
interface Account {
  readonly user: Client & { readonly email: string }
  readonly keyId: string
  readonly key: string
  readonly twilio: {
    readonly id: string
    readonly account_sid: string
    readonly auth_token: string
  }
  readonly issued: string
  readonly pair: string
  /** A member who acts for the account, with the token for it. */
  readonly member: { readonly record: string; readonly token: string }
  readonly text: string
  /** A send by the key to two numbers. */
  readonly batch: string
}

/** Credentials of one account for as many doors. */
async function makeAccounts(count: number): Promise<Account[]> {
  const owner = await fixture.makeUser()
  const { email } = owner as Account['user']
  await fixture.pair(owner)
  const person = await fixture.makeUser()
  const membership = await must(fixture.superuser, 'POST', `${RECORDS}/members/records`, {
    account: owner.id,
    member: person.id,
    role: 'admin',
  })
  const { message_ids } = await must(owner, 'POST', '/api/sms/send', TEXT)
  const accounts: Account[] = []
  while (accounts.length < count) {
    const user = { ...(await signIn(fixture.url, 'users', email, PASSWORD)), email }
    const record = (values: object) =>
      must(user, 'POST', `${RECORDS}/api_keys/records`, { user: user.id, name: 'App', ...values })
    const { id: keyId, key } = await record({ scopes: ['all:any'] })
    const twilio = await record({ twilio: true })
    const asked = { scopes: ['messages:send', 'messages:read'], ttl: 600 }
    const { body: pair } = await post(
      fixture.url,
      `${SMSGATE}/auth/token`,
      asked,
      basic(email, key),
    )
    const { token } = await must(person, 'POST', '/api/account/act-for', { account: user.id })
    const member = { record: membership.id, token }
    const tokens = { issued: pair.access_token, pair: pair.id }
    const own = await post(fixture.url, '/api/sms/send', TEXT, { 'x-api-key': key })
    const two = {
      ...TEXT,
      recipients: [TO, '+4915112345679'],
      scheduled_at: '2099-01-01T00:00:00Z',
    }
    const { body: sent } = await post(fixture.url, '/api/sms/send', two, { 'x-api-key': key })
    accounts.push({
      user,
      keyId,
      key,
      twilio,
      ...tokens,
      member,
      text: own.body.message_ids[0] ?? message_ids[0],
      batch: sent.batch_id,
    })
  }
  return accounts
}

const from = (headers: object) =>
  ({ 'x-forwarded-for': ADDRESS, ...headers }) as Record<string, string>
const get = (url: string, path: string, headers: object) =>
  request(url, 'GET', path, undefined, from(headers))
const post = (url: string, path: string, body: unknown, headers: object) =>
  request(url, 'POST', path, body, from(headers))

const TEXT = { recipients: [TO], body: 'Hi' }
const SMSGATE_TEXT = { phoneNumbers: [TO], textMessage: { text: 'Hi' } }
const MCP = { accept: 'application/json, text/event-stream' }
const callTool = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})
const messagesOf = ({ twilio }: Account) => `/2010-04-01/Accounts/${twilio.account_sid}/Messages`
const loginOf = ({ twilio }: Account) => basic(twilio.account_sid, twilio.auth_token)

type Door = (
  url: string,
  account: Account,
) => Promise<{ readonly status: number; readonly text: string }>

/** Requests that answer what they answered before, and do nothing more. */
const REPEATED_BY_KEY: Readonly<Record<string, Door>> = {
  'own send, repeated by its key': (url, { key }) =>
    post(url, '/api/sms/send', TEXT, { 'x-api-key': key, 'idempotency-key': key }),
  'own send, repeated by its reference': (url, { key, keyId }) =>
    post(url, '/api/sms/send', { ...TEXT, client_ref: keyId }, { 'x-api-key': key }),
  'own send of a picture, repeated by its reference': (url, { key, keyId }) => {
    const files = { attachments: [`${pictures.url}/a.jpg`], mms: 'or_link', client_ref: keyId }
    return post(url, '/api/sms/send', { ...TEXT, ...files }, { 'x-api-key': key })
  },
  'SMSGate send, repeated by its key': (url, { user, key }) =>
    post(url, `${SMSGATE}/messages`, SMSGATE_TEXT, {
      ...basic(user.email, key),
      'idempotency-key': key,
    }),
  'Vendel send, repeated by its key': (url, { key }) =>
    post(url, '/vendel/api/sms/send', TEXT, { 'x-api-key': key, 'idempotency-key': key }),
  'MCP send, repeated by its key': (url, { key }) =>
    post(url, '/mcp', callTool('send_message', { ...TEXT, idempotency_key: key }), {
      'x-api-key': key,
      ...MCP,
    }),
  'cancellation, repeated': (url, { key, text }) =>
    post(url, `/api/sms/messages/${text}/cancel`, {}, { 'x-api-key': key }),
  'cancellation of a send, repeated': (url, { key, batch }) =>
    post(url, `/api/sms/batches/${batch}/cancel`, {}, { 'x-api-key': key }),
  'new time of a canceled send': async (url, { user, key, batch }) => {
    await post(url, `/api/sms/batches/${batch}/cancel`, {}, { authorization: user.token })
    const later = { scheduled_at: '2099-02-01T00:00:00Z' }
    return post(url, `/api/sms/batches/${batch}/reschedule`, later, { 'x-api-key': key })
  },
  'retry of a send, repeated': async (url, { user, key, batch }) => {
    await post(url, `/api/sms/batches/${batch}/cancel`, {}, { authorization: user.token })
    const all = { include: ['canceled'] }
    return post(url, `/api/sms/batches/${batch}/retry`, all, { 'x-api-key': key })
  },
}

/** Doors by the credentials that open them. */
const KEY_DOORS: Readonly<Record<string, Door>> = {
  ...REPEATED_BY_KEY,
  'own send': (url, { key }) => post(url, '/api/sms/send', TEXT, { 'x-api-key': key }),
  'own text': (url, { key, text }) => get(url, `/api/sms/messages/${text}`, { 'x-api-key': key }),
  'own usage': (url, { key }) => get(url, '/api/sms/usage', { 'x-api-key': key }),
  'SMSGate send': (url, { user, key }) =>
    post(url, `${SMSGATE}/messages`, SMSGATE_TEXT, basic(user.email, key)),
  'SMSGate text': (url, { key, text }) =>
    get(url, `${SMSGATE}/messages/${text}`, { authorization: `Bearer ${key}` }),
  'SMSGate list': (url, { user, key }) => get(url, `${SMSGATE}/messages`, basic(user.email, key)),
  'SMSGate devices': (url, { user, key }) => get(url, `${SMSGATE}/devices`, basic(user.email, key)),
  'Vendel text': (url, { key, text }) =>
    get(url, `/vendel/api/sms/status/${text}`, { 'x-api-key': key }),
  'Vendel list': (url, { key }) => get(url, '/vendel/api/sms/messages', { 'x-api-key': key }),
  'Vendel send': (url, { key }) => post(url, '/vendel/api/sms/send', TEXT, { 'x-api-key': key }),
  'MCP send': (url, { key }) =>
    post(url, '/mcp', callTool('send_message', TEXT), { 'x-api-key': key, ...MCP }),
  ...Object.fromEntries(
    DOOR_SENDS.map(
      (send) =>
        [
          nameOfSend(send),
          (url, { key, user }) => {
            const headers = send.headers
            const one = { ...send, headers: (k: string) => from(headers?.(k) ?? {}) }
            return sendByDoor(url, one, { to: TO, text: 'Hi', key, user: user.email })
          },
        ] satisfies [string, Door],
    ),
  ),
}
const ISSUED_DOORS: Readonly<Record<string, Door>> = {
  'SMSGate send by an issued token': (url, { issued }) =>
    post(url, `${SMSGATE}/messages`, SMSGATE_TEXT, { authorization: `Bearer ${issued}` }),
  'SMSGate text by an issued token': (url, { issued, text }) =>
    get(url, `${SMSGATE}/messages/${text}`, { authorization: `Bearer ${issued}` }),
}
const TWILIO_DOORS: Readonly<Record<string, Door>> = {
  'Twilio send': (url, account) =>
    post(
      url,
      `${messagesOf(account)}.json`,
      new URLSearchParams({ To: TO, Body: 'Hi' }),
      loginOf(account),
    ),
  'Twilio send, repeated by its key': (url, account) =>
    post(url, `${messagesOf(account)}.json`, new URLSearchParams({ To: TO, Body: 'Hi' }), {
      ...loginOf(account),
      'idempotency-key': account.key,
    }),
  'Twilio list': (url, account) => get(url, `${messagesOf(account)}.json`, loginOf(account)),
  'Twilio numbers': (url, account) =>
    get(
      url,
      messagesOf(account).replace('Messages', 'IncomingPhoneNumbers.json'),
      loginOf(account),
    ),
}
const byToken = (token: (account: Account) => string): Readonly<Record<string, Door>> => ({
  'records list': (url, account) =>
    get(url, `${RECORDS}/api_keys/records`, { authorization: token(account) }),
  'records view': (url, account) =>
    get(url, `${RECORDS}/sms_messages/records/${account.text}`, { authorization: token(account) }),
  'own send': (url, account) => post(url, '/api/sms/send', TEXT, { authorization: token(account) }),
  'own send, repeated by its key': (url, account) =>
    post(url, '/api/sms/send', TEXT, {
      authorization: token(account),
      'idempotency-key': account.text,
    }),
  'own usage': (url, account) => get(url, '/api/sms/usage', { authorization: token(account) }),
  'a pairing': (url, account) =>
    post(url, '/api/devices/pairing', { name: 'Phone' }, { authorization: token(account) }),
})
const TOKEN_DOORS = byToken(({ user }) => user.token)
const MEMBER_DOORS = byToken(({ member }) => member.token)

type Change = (accounts: readonly Account[]) => Promise<unknown>

/** A change of each key. */
const onKeys =
  (change: (user: Client, path: string) => Promise<unknown>): Change =>
  async (accounts) => {
    for (const { user, keyId, twilio } of accounts)
      for (const id of [keyId, twilio.id]) await change(user, `${RECORDS}/api_keys/records/${id}`)
  }
const setOnKeys = (values: object) => onKeys((user, path) => must(user, 'PATCH', path, values))
const disableUser: Change = ([account]) =>
  must(fixture.superuser, 'POST', `${RECORDS}/user_settings/records`, {
    user: account!.user.id,
    disabled: true,
  })
const newPassword: Change = ([account]) =>
  must(account!.user, 'PATCH', `${RECORDS}/users/records/${account!.user.id}`, {
    oldPassword: PASSWORD,
    password: 'another-password',
    passwordConfirm: 'another-password',
  })
const onMember =
  (values: object): Change =>
  ([account]) =>
    must(account!.user, 'PATCH', `${RECORDS}/members/records/${account!.member.record}`, values)

const KEYS = { ...KEY_DOORS, ...ISSUED_DOORS, ...TWILIO_DOORS }

/** Each change, and the doors that it closes. */
const CHANGES: readonly (readonly [title: string, Change, Readonly<Record<string, Door>>])[] = [
  ['a disabled key', setOnKeys({ disabled: true }), KEYS],
  ['a new list of addresses of a key', setOnKeys({ addresses: '198.51.100.1' }), KEYS],
  ['an end of a key', setOnKeys({ expires_at: '2020-01-01 00:00:00.000Z' }), KEYS],
  ['a deleted key', onKeys((user, path) => must(user, 'DELETE', path)), KEYS],
  ['another secret', setOnKeys({ prefix: '', previous_until: '' }), KEYS],
  [
    'narrowed scopes',
    async (accounts) => {
      for (const { user, keyId } of accounts)
        await must(user, 'PATCH', `${RECORDS}/api_keys/records/${keyId}`, {
          scopes: ['settings:read'],
        })
    },
    { ...KEY_DOORS, ...ISSUED_DOORS },
  ],
  ['a disabled user', disableUser, { ...KEYS, ...TOKEN_DOORS, ...MEMBER_DOORS }],
  ['a new password', newPassword, TOKEN_DOORS],
  [
    'a revoked pair of tokens',
    async (accounts) => {
      for (const { user, key, pair } of accounts)
        await request(
          fixture.url,
          'DELETE',
          `${SMSGATE}/auth/token/${pair}`,
          undefined,
          basic(user.email, key),
        )
    },
    ISSUED_DOORS,
  ],
  ['a new list of addresses of a member', onMember({ addresses: '198.51.100.1' }), MEMBER_DOORS],
  ['a changed role', onMember({ role: 'viewer' }), MEMBER_DOORS],
  [
    'an ended membership',
    ([account]) =>
      must(account!.user, 'DELETE', `${RECORDS}/members/records/${account!.member.record}`),
    MEMBER_DOORS,
  ],
]

/** Some doors tell a refusal in an answer of 200. */
const isOpen = ({ status, text }: Awaited<ReturnType<Door>>) =>
  status < 300 &&
  !/"isError":\s*true|"totalItems":0\b|"error|error"|invalid/i.test(
    text.replaceAll(/error_(?:message|code)/g, ''),
  )

/** The doors that let somebody in, of these. */
async function findOpen(
  doors: readonly (readonly [string, Door])[],
  accounts: readonly Account[],
  url: string,
) {
  const open: string[] = []
  for (const [i, [name, door]] of doors.entries())
    if (isOpen(await door(url, accounts[i]!))) open.push(name)
  return open
}

const LONG = { timeout: 240_000 }

test.each(CHANGES)(
  '%s closes all its doors at the next request, on both servers',
  LONG,
  async (_, change, table) => {
    const doors = Object.entries(table)
    const names = doors.map(([name]) => name)
    const accounts = await makeAccounts(doors.length)
    for (const url of NODES) expect(await findOpen(doors, accounts, url)).toEqual(names)
    await change(accounts)
    for (const url of NODES.toReversed()) expect(await findOpen(doors, accounts, url)).toEqual([])
  },
)

test('a key that ends by the clock closes on both servers without a change', LONG, async () => {
  const doors = Object.entries(KEYS)
  const accounts = await makeAccounts(doors.length)
  const soon = "pb_text(clock_timestamp() + interval '20 seconds')"
  await query(`update api_keys set expires_at = ${soon} where "user" = $1`, [accounts[0]!.user.id])
  for (const url of NODES) await findOpen(doors, accounts, url)
  // the clock of the database decides: the end comes without a write that servers could notice
  await query('alter table api_keys disable trigger callers_of_keys')
  const open = `select from api_keys where "user" = $1 and expires_at::timestamptz >= clock_timestamp()`
  await until('their end', async () => (await query(open, [accounts[0]!.user.id])).length === 0)
  for (const url of NODES) expect(await findOpen(doors, accounts, url)).toEqual([])
  await query('alter table api_keys enable trigger callers_of_keys')
})

test('the note of the last use does not change the version of cached callers', async () => {
  const [{ user, key } = {} as Account] = await makeAccounts(1)
  const versionOf = async () =>
    (await query('select xmin::text from users where id = $1', [user.id]))[0]![0]
  const before = await versionOf()
  await KEY_DOORS['own send']!(other.url, { key } as Account)
  await query(`update api_keys set last_used_at = pb_text(now()) where "user" = $1`, [user.id])
  expect(await versionOf()).toBe(before)
})
