import { createHash } from 'node:crypto'
import { findAuthRecord } from '../../../src/engine/auth/find-auth-record.ts'
import { signToken } from '../../../src/engine/auth/tokens.ts'
import { request } from './request.ts'
import { startServer } from './start.ts'

// A shop that sends: Ann with two phones that are online, contacts, groups and templates; Ben with one of
// each; Cleo with nothing at all.

/** An id that says whose it is. */
const id = (name: string) => name.padEnd(15, '0')
const person = (name: string) => ({
  id: id(name),
  email: `${name}@example.com`,
  password: `${name}pass12345`,
  key: `psk_${name}`,
})

export const ANN = person('ann')
export const BEN = person('ben')
export const CLEO = person('cleo')
export const PHONES = [id('phone1'), id('phone2')] as const
export const BENS_PHONE = id('phoneben')
export const GROUPS = {
  friends: id('friends'),
  empty: id('empty'),
  bens: id('bensgroup'),
  left: id('left'),
} as const
export const TEMPLATES = {
  code: id('code'),
  greeting: id('greeting'),
  bens: id('benstemplate'),
  name: id('nameonly'),
} as const

type Headers = Record<string, string>

/** Later than any test runs: such a device counts as online. */
const ONLINE = '2099-01-01 00:00:00.000Z'

const device = (id: string, user: string) => ({
  id,
  user,
  name: id,
  password: 'devicepass12345',
  platform: 'android',
  enabled: true,
  last_seen: ONLINE,
})
/** The id of somebody's API key. */
export const keyOf = ({ id }: { readonly id: string }) => `key${id}`.slice(0, 15)
const apiKey = ({ id, key }: typeof ANN, more = {}) => ({
  id: keyOf({ id }),
  user: id,
  name: 'shop',
  prefix: key.slice(0, 10),
  hash: createHash('sha256').update(key).digest('hex'),
  ...more,
})
const contact = (name: string, phone: string, groups: string[] = [], more = {}) => ({
  id: id(`c${phone.slice(1)}`),
  user: ANN.id,
  name,
  phone,
  groups,
  ...more,
})

const FIXTURES = {
  users: [ANN, BEN, CLEO].map(({ key: _, ...user }) => ({ ...user, verified: true })),
  devices: [...PHONES.map((phone) => device(phone, ANN.id)), device(BENS_PHONE, BEN.id)],
  api_keys: [
    apiKey(ANN),
    apiKey(BEN),
    apiKey(CLEO),
    apiKey(
      { ...ANN, id: id('oldkey'), key: 'psk_old' },
      { user: ANN.id, expires_at: '2020-01-01 00:00:00.000Z' },
    ),
  ],
  contact_groups: [
    { id: GROUPS.friends, user: ANN.id, name: 'friends' },
    { id: GROUPS.empty, user: ANN.id, name: 'empty' },
    { id: GROUPS.left, user: ANN.id, name: 'left' },
    { id: GROUPS.bens, user: BEN.id, name: 'friends' },
  ],
  contacts: [
    contact('Zoe', '+4900001', [GROUPS.friends]),
    contact('Abe', '+4900002', [GROUPS.friends]),
    contact('Abe', '+4900003', [GROUPS.friends, GROUPS.left]),
    contact('Out', '+4900004', [GROUPS.friends, GROUPS.left], { opted_out: true }),
    contact('Xaver', '+4900005'),
    {
      ...contact('Bens Max', '+4900006', [GROUPS.bens]),
      id: id('bensmax'),
      user: BEN.id,
      opted_out: true,
    },
  ],
  sms_templates: [
    {
      id: TEMPLATES.code,
      user: ANN.id,
      name: 'code',
      body: '{{ name }} ({{phone}}): {{code}} {{ code }}{{tail}}',
    },
    { id: TEMPLATES.greeting, user: ANN.id, name: 'greeting', body: 'Hello {{name}}!' },
    { id: TEMPLATES.name, user: ANN.id, name: 'name only', body: '{{name}}' },
    { id: TEMPLATES.bens, user: BEN.id, name: 'bens', body: 'Hi' },
  ],
}

/** The shop's server, and a way to ask it. */
export async function startServerWithUsers(env: Record<string, string> = {}) {
  const server = await startServer({ env, fixtures: FIXTURES })
  const { store } = server.services
  const { db } = store
  /**
   * A request to `/api/sms/…`, or a path from the root, with Ann's API key unless `headers` say otherwise; a
   * text is sent as it is.
   */
  const ask = (method: string, path: string, body?: unknown, headers: Headers = as(ANN)) =>
    request(server.url, method, path.startsWith('/') ? path : `/api/sms/${path}`, body, headers)
  /** The headers of somebody who is signed in: any record of an auth collection. */
  async function signedIn(collection: string, id: string): Promise<Headers> {
    const of = store.catalog.find(collection)
    const record = of?.type === 'auth' ? await findAuthRecord(store, of, id) : null
    return { authorization: await signToken(record!, 'auth') }
  }
  return {
    url: server.url,
    services: server.services,
    store,
    ask,
    /** A preview of Ann's, who is signed in. */
    preview: async (body: object) => ask('POST', 'preview', body, await signedIn('users', ANN.id)),
    /** POST `/api/sms/send` with a text for +4911111 unless `body` says otherwise. */
    send: (body: object = {}, headers?: Headers) =>
      ask('POST', 'send', { recipients: ['+4911111'], body: 'Hi', ...body }, headers),
    /** Columns of one message, by name. */
    async message(id: string): Promise<Record<string, unknown>> {
      const { rows, fields } = await db.query('select * from sms_messages where id = $1', [id])
      return Object.fromEntries(fields.map(({ name }, i) => [name, rows[0]?.[i]]))
    },
    signedIn,
    /** All rows of a query, as arrays. */
    rows: async (text: string, params?: readonly unknown[]): Promise<unknown[][]> =>
      (await db.query(text, params)).rows,
  }
}

/** Asks as the owner of another key. */
export const as = ({ key }: { readonly key: string }) => ({ 'x-api-key': key })
