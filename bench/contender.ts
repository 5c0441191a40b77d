import type { Request } from 'autocannon'
import type { Scenario } from './scenarios.ts'
import { emailOf, PASSWORD, someMessages, USERS, type UserName } from './seed.ts'

/** A server that takes part. */
export interface Contender {
  readonly name: string
  readonly url: string
  /** Its process; for memory. */
  readonly pid: number
  /** How it is asked: through the record API, or by the bare server's own paths. */
  readonly speaks: 'records' | 'bare'
  /** Authorization header by user. */
  readonly tokens: Readonly<Record<UserName, string>>
  /** X-API-Key of the sending user; absent: cannot send. */
  readonly apiKey?: string
  /** Before each of its turns: sets the API rule that its row is about. */
  prepare?(): Promise<void>
  stop(): Promise<void>
}

const MESSAGES = '/api/collections/sms_messages/records'
/** So many different sends, and messages to view. */
const BODIES = 200
const VIEWED = 200
/** Updates for each create among them. */
const RENAMES = 50

/** The requests of a scenario for one contender; undefined when it has no such thing. */
export function requestsOf(contender: Contender, scenario: Scenario): Request[] | undefined {
  if (scenario.kind === 'send')
    return contender.apiKey ? sends(contender, scenario, contender.apiKey) : undefined
  if (scenario.kind === 'write')
    return contender.speaks === 'records' ? writes(contender, scenario) : undefined
  const headers = { authorization: contender.tokens[scenario.user] }
  const base = contender.speaks === 'bare' ? '/messages' : MESSAGES
  const query = contender.speaks === 'bare' ? scenario.query?.bare : scenario.query?.records
  const paths =
    scenario.kind === 'list'
      ? [`${base}?${query}`]
      : someMessages(scenario.user, VIEWED).map((id) => `${base}/${id}`)
  return paths.map((path) => ({ method: 'GET', path, headers }))
}

function sends({ speaks }: Contender, { recipients = 1 }: Scenario, apiKey: string): Request[] {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const path = speaks === 'bare' ? '/send' : '/api/sms/send'
  const number = (i: number) => `+4917${String(10_000_000 + i)}`
  return Array.from({ length: recipients === 1 ? BODIES : 1 }, (_, i) => {
    const to = Array.from({ length: recipients }, (_, k) => number(i * recipients + k))
    const body = `Message ${i}: your parcel arrives tomorrow between 9 and 12.`
    return { method: 'POST', path, headers, body: JSON.stringify({ recipients: to, body }) }
  })
}

const GROUPS = '/api/collections/contact_groups/records'

/** Each connection makes a group of its own (`[new]`) and goes on with it (`[last]`): see load.ts. */
function writes({ tokens }: Contender, { user, write }: Scenario): Request[] {
  const headers = { authorization: tokens[user], 'content-type': 'application/json' }
  const create = {
    method: 'POST',
    path: GROUPS,
    headers,
    body: JSON.stringify({ id: '[new]', user: USERS[user], name: 'group [last]' }),
  } as const
  const rename = (i: number) =>
    ({
      method: 'PATCH',
      path: `${GROUPS}/[last]`,
      headers,
      body: `{"name":"group [last] ${i}"}`,
    }) as const
  if (write === 'create') return [create]
  if (write === 'update') return [create, ...Array.from({ length: RENAMES }, (_, i) => rename(i))]
  return [create, { method: 'DELETE', path: `${GROUPS}/[last]`, headers }]
}

/** The JSON of an answer. Throws with its text when the status is not 2xx. */
export async function ask<T>(
  url: string,
  init: { method?: string; token?: string; body?: unknown } = {},
): Promise<T> {
  const response = await fetch(url, {
    method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(init.token !== undefined && { authorization: init.token }),
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`${init.method ?? ''} ${url} answered ${response.status}: ${text}`)
  return JSON.parse(text || 'null') as T
}

/** Signs a seeded user in, as any PocketBase client does. */
export async function signIn(url: string, user: UserName): Promise<string> {
  const body = { identity: emailOf(user), password: PASSWORD }
  return (await ask<{ token: string }>(`${url}/api/collections/users/auth-with-password`, { body }))
    .token
}

/** Tokens of all users that `sign` knows how to sign in. */
export async function tokensBy(
  sign: (user: UserName) => Promise<string>,
): Promise<Contender['tokens']> {
  const [small, large, sender, waker] = await Promise.all([
    sign('small'),
    sign('large'),
    sign('sender'),
    sign('waker'),
  ])
  return { small, large, sender, waker }
}
