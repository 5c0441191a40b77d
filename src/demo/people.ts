import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, ServerRefusal } from '../agent/server.ts'
import { simulatorDriver } from '../agent/simulator.ts'
import { type AgentState, pair, readState, saveState } from '../agent/state.ts'
import { UserError } from '../errors.ts'

export const USER_EMAIL = 'demo@example.com'

export const CONTACTS = [
  { name: 'Ann', phone: '+447700900101' },
  { name: 'Ben', phone: '+447700900102' },
  { name: 'Chloé', phone: '+447700900103' },
] as const

export async function makeUser(superuser: Api, password: string): Promise<void> {
  await ensure(superuser, 'users', `email = "${USER_EMAIL}"`, {
    email: USER_EMAIL,
    name: 'Corner Bike Shop',
    password,
    passwordConfirm: password,
    verified: true,
  })
}

/** The user's data before the first message: contacts in a group, a template, an API key. */
export type DemoData = Awaited<ReturnType<typeof setUpDemoData>>

/** Signs in and creates the demo data. Later runs reuse the data, but create a new key. */
export async function setUpDemoData(url: string, password: string) {
  const { api: user, id } = await signIn(url, 'users', USER_EMAIL, password)
  const group = await ensure(user, 'contact_groups', 'name = "Friends"', { user: id, name: 'Friends' })
  for (const contact of CONTACTS)
    await ensure(user, 'contacts', `phone = "${contact.phone}"`, {
      ...contact,
      user: id,
      groups: [group],
      opted_out: false,
    })
  const template = await ensure(user, 'sms_templates', 'name = "Invitation"', {
    user: id,
    name: 'Invitation',
    body: 'Hi {{name}}, dinner at {{time}}?',
  })
  const { key } = await request<{ key: string }>(user, 'POST', '/api/collections/api_keys/records', {
    user: id,
    name: `Demo of ${new Date().toISOString().slice(0, 16)}`,
  })
  return { user, id, key, group, template }
}

/** The recipients of messages by message id: the contact's name, or the number. */
export async function nameRecipients(user: Api, ids: readonly string[]): Promise<Map<string, string>> {
  const query = new URLSearchParams({ filter: ids.map((id) => `id = "${id}"`).join(' || '), perPage: '200' })
  const path = `/api/collections/sms_messages/records?${query}`
  const { items } = await request<{ items: { id: string; to: string }[] }>(user, 'GET', path)
  const numbers = new Map(items.map(({ id, to }) => [id, to]))
  const names = new Map<string, string>(CONTACTS.map(({ name, phone }) => [phone, name]))
  return new Map(ids.map((id) => [id, names.get(numbers.get(id) ?? '') ?? numbers.get(id) ?? '']))
}

type Event = Record<'id' | 'message' | 'status' | 'device', string>

const LOOK_MS = 100
const FINAL = new Set(['delivered', 'failed'])

/** Prints statuses until all are final (true) or `patienceMs` have passed. `recipients`: names by message. */
export async function watch(
  user: Api,
  { recipients, devices }: Readonly<Record<'recipients' | 'devices', ReadonlyMap<string, string>>>,
  patienceMs: number,
  print: (line: string) => void,
): Promise<boolean> {
  const open = new Set(recipients.keys())
  const seen = new Set<string>()
  const filter = [...open].map((id) => `message = "${id}"`).join(' || ')
  const query = new URLSearchParams({ filter, sort: 'created', perPage: '200', skipTotal: '1' })
  const start = performance.now()
  while (open.size > 0 && performance.now() - start < patienceMs) {
    const path = `/api/collections/sms_events/records?${query}`
    const { items } = await request<{ items: Event[] }>(user, 'GET', path)
    for (const event of items.filter(({ id }) => !seen.has(id))) {
      seen.add(event.id)
      const who = recipients.get(event.message) ?? ''
      print(`${who.padEnd(8)} ${event.status.padEnd(10)} ${devices.get(event.device) ?? ''}`)
      if (FINAL.has(event.status)) open.delete(event.message)
    }
    await sleep(LOOK_MS)
  }
  return open.size === 0
}

export type Phone = Awaited<ReturnType<typeof pairPhones>>[number]

const PHONES = [
  { name: 'Phone 1', number: '+447700900901', lagMs: 300 },
  { name: 'Phone 2', number: '+447700900902', lagMs: 500 },
] as const

/** Pairs two phones by code, unless `folder` has their state of an earlier run. */
export async function pairPhones(user: Api, folder: string) {
  const phones = []
  for (const { name, number, lagMs } of PHONES) {
    const stateFile = join(folder, `${name.toLowerCase().replace(' ', '-')}.json`)
    const state = (await stillPaired(user.url, stateFile)) ?? (await pairPhone(user, name, number, stateFile))
    phones.push({ name, number, stateFile, simulator: simulatorDriver({ lagMs }), device: state.device })
  }
  return phones
}

async function pairPhone(user: Api, name: string, phone: string, stateFile: string): Promise<AgentState> {
  const { code } = await request<{ code: string }>(user, 'POST', '/api/devices/pairing', { name })
  return pair(user.url, code, { name: '', phone, platform: 'simulator' }, () => stateFile)
}

/** The phone of an earlier run; undefined if the server does not know the phone. */
async function stillPaired(url: string, stateFile: string): Promise<AgentState | undefined> {
  try {
    const state = { ...readState(stateFile), url }
    await call(state, '/api/devices/claim', { limit: 1 })
    saveState(stateFile, state)
    return state
  } catch (error) {
    if (error instanceof UserError || error instanceof ServerRefusal) return undefined
    throw error
  }
}

export interface Api {
  readonly url: string
  readonly credentials: Readonly<Record<string, string>>
}

/** Sends a request as any HTTP client would. Throws an Error with the server's message. */
export async function request<T>(api: Api, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(api.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...api.credentials },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer as T
}

export interface Named {
  readonly id: string
}

export async function findFirst<T extends Named>(api: Api, collection: string, filter: string) {
  const query = new URLSearchParams({ filter, perPage: '1', skipTotal: '1' })
  const page = await request<{ items: T[] }>(api, 'GET', `/api/collections/${collection}/records?${query}`)
  return page.items[0]
}

/** Creates the record, or updates the one that `filter` matches. Returns its id. */
export async function ensure(api: Api, collection: string, filter: string, values: object): Promise<string> {
  const path = `/api/collections/${collection}/records`
  const found = await findFirst(api, collection, filter)
  const record = found
    ? await request<Named>(api, 'PATCH', `${path}/${found.id}`, values)
    : await request<Named>(api, 'POST', path, values)
  return record.id
}

export async function signIn(url: string, collection: string, identity: string, password: string) {
  const path = `/api/collections/${collection}/auth-with-password`
  const guest: Api = { url, credentials: {} }
  const body = { identity, password }
  const { token, record } = await request<{ token: string; record: Named }>(guest, 'POST', path, body)
  return { api: { url, credentials: { authorization: token } } satisfies Api, id: record.id }
}
