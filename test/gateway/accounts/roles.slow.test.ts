import { findApi } from '../../../src/http/metrics/group-requests.ts'
import { BUILT_IN } from '../../../src/main/collection-definitions.ts'
import { PROTOCOLS } from '../../../src/protocols/protocols.ts'
import { PROMISES } from '../../permission/promises.ts'
import { isIn, type Who as Promised } from '../../permission/who.ts'
import { makeSamples } from '../../support/sample-records.ts'
import {
  type Client,
  client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// Every route of the API's description, asked for by the account, by its members and by a stranger. A route
// without a row fails.

/** Who may: a role and those above it, the account alone, superusers or programs alone, or everybody. */
type Who = Caller | 'nobody' | 'all'
const CALLERS = ['viewer', 'agent', 'admin', 'owner'] as const
type Caller = (typeof CALLERS)[number]

/** To read, create, update and delete records. */
const RECORDS: Readonly<Record<string, readonly [Who, Who, Who, Who]>> = {
  ...Object.fromEntries(
    [...BUILT_IN.raw.values()].map(({ name, rights, createRule, updateRule, deleteRule }) => [
      name,
      [
        rights.read,
        createRule === null ? 'nobody' : rights.write,
        updateRule === null ? 'nobody' : rights.write,
        deleteRule === null ? 'nobody' : rights.remove,
      ] as const,
    ]),
  ),
  _superusers: ['nobody', 'nobody', 'nobody', 'nobody'],
  // made by a superuser
  notes: ['viewer', 'agent', 'agent', 'agent'],
}

const SIGN_IN: Readonly<Record<string, Who>> = {
  'auth-methods': 'all',
  'auth-with-password': 'all',
  'auth-with-otp': 'all',
  'request-otp': 'all',
  'auth-with-oauth2': 'owner',
  'impersonate/{id}': 'nobody',
  'request-verification': 'all',
  'confirm-verification': 'all',
  'request-password-reset': 'all',
  'confirm-password-reset': 'all',
  'confirm-email-change': 'all',
}

/** Of routes that are no rows of a feature. */
const ROUTES: Readonly<Record<string, Who>> = {
  'POST /api/collections/users/auth-refresh': 'viewer',
  'POST /api/collections/users/request-email-change': 'owner',
  'GET /api/sms/twilio': 'owner',
  'GET /api/account/smsgate-key': 'owner',
  'PUT /api/account/smsgate-key': 'owner',
  'GET /api/3rdparty/v1/health': 'all',
  'GET /api/3rdparty/v1/health/{probe}': 'all',
  // what is in a batch decides, from agents on
  'POST /api/batch': 'agent',
}

/** The lowest role that a promise names. Secrets open routes to whoever has them. */
function findLowest(promise: Promised): Who {
  if (['everybody', 'strangers', 'hook'].includes(promise)) return 'all'
  return CALLERS.find((role) => isIn(promise, role)) ?? 'nobody'
}

const BY_ROUTE: ReadonlyMap<string, Who> = new Map(
  Object.entries(PROMISES).map(
    ([route, who]) => [route.replace(/:(\w+)/g, '{$1}'), findLowest(who)] as const,
  ),
)

/** Other products' APIs take credentials of their own. */
const isOfProtocol = (route: string) => findApi(PROTOCOLS, route.replace(/^\w+ /, '')) !== undefined

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']

function rowOf(route: string): Who | undefined {
  const [, method, collection, what] = /^(\w+) \/api\/collections\/(\w+)\/(.+)$/.exec(route) ?? []
  if (/^\w+ \/vendel\//.test(route)) return 'owner'
  const known = ROUTES[route] ?? BY_ROUTE.get(route) ?? (isOfProtocol(route) ? 'nobody' : undefined)
  if (known || !collection) return known
  if (/^(records(\/\{id\})?|export)$/.test(what!))
    return RECORDS[collection]?.[METHODS.indexOf(method!)]
  // other collections' tokens alone
  return SIGN_IN[what!] ?? 'nobody'
}

/** Whether a caller with this part may do what these may. */
function isAllowed(caller: Caller, who: Who): boolean {
  if (who === 'all') return true
  const roles: readonly string[] = CALLERS
  return who !== 'nobody' && roles.indexOf(caller) >= roles.indexOf(who)
}

const fixture = await startServerWithDevices()
const { superuser, guest } = fixture
const make = async (who: Client, collection: string, values: object): Promise<string> =>
  (await must(who, 'POST', `/api/collections/${collection}/records`, values)).id

const shop = await fixture.makeUser()
const stranger = await fixture.makeUser()
const text = (name: string, more = {}) => ({ name, type: 'text', ...more })
const relation = { name: 'user', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 }
const rule = 'user = @request.auth.id'
const rules = {
  listRule: rule,
  viewRule: rule,
  createRule: rule,
  updateRule: rule,
  deleteRule: rule,
}
await superuser.call('POST', '/api/collections', {
  name: 'notes',
  type: 'base',
  fields: [relation, text('text')],
  ...rules,
})

const user = shop.id
const phone = await fixture.pair(shop)
await fixture.hear(phone, [['+4915112345678', 'Hello']])
const { body: messages } = await shop.call('GET', '/api/collections/sms_messages/records')
const samples = await makeSamples('sample', (collection, values) =>
  make(shop, collection, { user, ...values }),
)
const IDS: Readonly<Record<string, string>> = {
  ...samples,
  users: user,
  devices: phone.id,
  sms_messages: messages.items[0].id,
  senders: user,
  notes: await make(shop, 'notes', { user, text: 'note' }),
}
const tokens: Record<string, string> = { owner: shop.token }
for (const role of ['admin', 'agent', 'viewer']) {
  const member = await fixture.makeUser()
  const id = await make(superuser, 'members', { account: user, member: member.id, role })
  tokens[role] = (await member.call('POST', '/api/account/act-for', { account: user })).body.token
  Object.assign(IDS, { members: id })
}
await make(superuser, 'member_invitations', {
  account: user,
  role: 'agent',
  expires: '2099-01-01 00:00:00.000Z',
}).then((id) => Object.assign(IDS, { member_invitations: id }))

const { paths } = (await guest.call('GET', '/api/openapi.json')).body
const notes = ['GET', 'POST'].map((method) => `${method} /api/collections/notes/records`)
const noteById = ['GET', 'PATCH', 'DELETE'].map(
  (method) => `${method} /api/collections/notes/records/{id}`,
)
const routes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
)
routes.push(...notes, ...noteById, 'GET /api/collections/notes/export')

const NO_RECORD = 'nosuchrecord123'

interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks for a route. A real record is only named to those who must not change it. */
async function ask(route: string, token: string, isReal: boolean): Promise<Answer> {
  const [method, path] = route.split(' ') as [string, string]
  const collection =
    /collections\/(\w+)/.exec(path)?.[1] ?? (path.startsWith('/api/webhooks/{') ? 'webhooks' : '')
  const id = isReal || method === 'GET' ? (IDS[collection] ?? NO_RECORD) : NO_RECORD
  const stop = new AbortController()
  const response = await fetch(
    fixture.url +
      path
        .replace('{probe}', 'live')
        .replace(/\{\w+\}/, id)
        .replace(/\{\w+\}/g, NO_RECORD),
    {
      method,
      headers: { authorization: token, 'content-type': 'application/json' },
      signal: stop.signal,
      ...(method !== 'GET' && { body: JSON.stringify(BODIES[route] ?? { user, account: user }) }),
    },
  )
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const answer = { status: response.status, text: isStream ? '' : await response.text() }
  stop.abort()
  return answer
}

/** What is asked where an empty body is refused before the role is known. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /api/batch': {
    requests: [{ method: 'POST', url: '/api/collections/contacts/records', body: {} }],
  },
}
const ROLE = 'Your role does not allow this.'

test('every route is listed in the table of roles', () => {
  expect(routes.filter((route) => !rowOf(route))).toEqual([])
})

test('a stranger can neither read nor change the account through any route', async () => {
  const { token } = stranger
  const wrong: string[] = []
  for (const route of routes) {
    const { status, text } = await ask(route, token, true)
    if (text.includes(user) || status === 204) wrong.push(`${route} ${status} ${text.slice(0, 90)}`)
  }
  const allowed = ['DELETE /api/account/push 204 ']
  expect(wrong.filter((line) => !allowed.includes(line))).toEqual([])
  for (const [collection, id] of Object.entries(IDS)) {
    const { status } = await client(fixture.url, '', superuser.token).call(
      'GET',
      `/api/collections/${collection}/records/${id}`,
    )
    expect([collection, status]).toEqual([collection, 200])
  }
})

/** No provider is set up. */
const isSetUp = (text: string) => !text.includes('not configured to allow OAuth2')

test.each(CALLERS)('%s is allowed exactly the routes that the table says', async (caller) => {
  const wrong: string[] = []
  // the last one ends the owner's token
  for (const route of routes.toSorted(
    (a, b) => Number(a.includes('end-other')) - Number(b.includes('end-other')),
  )) {
    const who = rowOf(route)!
    const mayAsk = isAllowed(caller, who)
    const { status, text } = await ask(route, tokens[caller]!, !mayAsk)
    if (!isSetUp(text)) continue
    const isRefused = [401, 403].includes(status)
    const isRoleNamed = text.includes(ROLE)
    const isRight =
      caller === 'owner'
        ? !isRoleNamed && (who === 'nobody' ? status >= 400 : who === 'all' || !isRefused)
        : mayAsk
          ? !isRoleNamed && (who === 'all' || !isRefused)
          : isRoleNamed || (who === 'nobody' && isRefused)
    if (!isRight) wrong.push(`${route} ${status} ${text.slice(0, 90)}`)
  }
  expect(wrong).toEqual([])
})
