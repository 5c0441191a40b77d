import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError, UserError } from '../../platform/api-errors.ts'
import { type AgentState, loadAgentState, saveState } from '../../programs/agent/agent-state.ts'
import { makeSimulatorDriver } from '../../programs/agent/drivers/simulator.ts'
import { pairAgent } from '../../programs/agent/pair-agent.ts'
import { callServer } from '../../programs/agent/server-link.ts'

export const USER_EMAIL = 'demo@example.com'

export const DEMO_CONTACTS = [
  { name: 'Ann Baker', phone: '+447700900101' },
  { name: 'Ben Carter', phone: '+447700900102' },
  { name: 'Chloé Martin', phone: '+447700900103' },
] as const

export type DemoData = Awaited<ReturnType<typeof setUpDemoData>>

/** Makes the demo's user and data. Later runs reuse them. `known`: the API key of an earlier run. */
export async function setUpDemoData(superuser: DemoApi, password: string, known?: string) {
  const id = await ensureUser(superuser, { email: USER_EMAIL, name: 'Sam Reed', password })
  const { api: user } = await signIn(superuser.url, 'users', USER_EMAIL, password)
  // British numbers can be typed as people dial them; those of the demo, which no plan has, with +44
  await ensureRecord(user, 'user_settings', `user = "${id}"`, {
    user: id,
    account_name: 'Corner Bike Shop',
    country: 'GB',
  })
  const group = await ensureRecord(user, 'contact_groups', 'name = "Regulars"', {
    user: id,
    name: 'Regulars',
  })
  for (const contact of DEMO_CONTACTS)
    await ensureContact(user, { ...contact, user: id, groups: [group] })
  const workshop = {
    user: id,
    name: 'Workshop',
    body: 'Hi {{name}}, the repair workshop begins at {{time}}.',
  }
  const template = await ensureRecord(user, 'sms_templates', 'name = "Workshop"', workshop)
  const key =
    known && (await isApiKeyValid(superuser.url, known)) ? known : await makeDemoKey(user, id)
  return { user, id, key, group, template }
}

const isApiKeyValid = async (url: string, key: string): Promise<boolean> =>
  (await fetch(`${url}/api/sms/usage`, { headers: { 'x-api-key': key } })).ok

async function makeDemoKey(user: DemoApi, id: string): Promise<string> {
  const values = { user: id, name: 'Web shop' }
  return (await requestApi<{ key: string }>(user, 'POST', makeRecordsPath('api_keys'), values)).key
}

type Values = Readonly<Record<string, unknown>>

/** Creates a user, or updates the one of an earlier run. */
export const ensureUser = (
  superuser: DemoApi,
  values: Values & { readonly email: string; readonly password: string },
) =>
  ensureRecord(superuser, 'users', `email = "${values.email}"`, {
    passwordConfirm: values.password,
    verified: true,
    ...values,
  })

export const ensureContact = (user: DemoApi, contact: Values & { readonly phone: string }) =>
  ensureRecord(user, 'contacts', `phone = "${contact.phone}"`, { opted_out: false, ...contact })

type Event = Record<'id' | 'message' | 'status' | 'device', string> & {
  readonly expand: { readonly message: { readonly to: string } }
}

const LOOK_MS = 100
const FINAL = new Set(['delivered', 'failed'])

/** Prints the statuses of messages. Returns true once all are final, false after `patienceMs`. */
export async function watchMessages(
  user: DemoApi,
  messages: readonly string[],
  phones: readonly DemoPhone[],
  patienceMs: number,
  print: (line: string) => void,
): Promise<boolean> {
  const open = new Set(messages)
  const seen = new Set<string>()
  const filter = messages.map((id) => `message = "${id}"`).join(' || ')
  const start = performance.now()
  while (open.size > 0 && performance.now() - start < patienceMs) {
    const events = await findRecords<Event>(user, 'sms_events', {
      filter,
      sort: 'created',
      expand: 'message',
    })
    for (const { id, message, status, device, expand } of events.filter(
      ({ id }) => !seen.has(id),
    )) {
      seen.add(id)
      const who = DEMO_CONTACTS.find(({ phone }) => phone === expand.message.to)?.name ?? ''
      const phone = phones.find((one) => one.device === device)?.name ?? ''
      print(`${who.padEnd(12)} ${status.padEnd(10)} ${phone}`)
      if (FINAL.has(status)) open.delete(message)
    }
    await sleep(LOOK_MS)
  }
  return open.size === 0
}

export type DemoPhone = Awaited<ReturnType<typeof pairPhones>>[number]

const PHONES = [
  { name: 'Phone 1', number: '+447700900901', lagMs: 300 },
  { name: 'Phone 2', number: '+447700900902', lagMs: 500 },
] as const

/** Pairs two simulated phones by code, or reuses those that an earlier run stored in `folder`. */
export async function pairPhones(user: DemoApi, folder: string) {
  const phones = []
  for (const { name, number, lagMs } of PHONES) {
    const stateFile = join(folder, `${name.toLowerCase().replace(' ', '-')}.json`)
    const state =
      (await readPairedState(user.url, stateFile)) ??
      (await pairPhone(user, name, number, stateFile))
    phones.push({
      name,
      number,
      stateFile,
      simulator: makeSimulatorDriver({ lagMs }),
      device: state.device,
    })
  }
  return phones
}

async function pairPhone(
  user: DemoApi,
  name: string,
  phone: string,
  stateFile: string,
): Promise<AgentState> {
  const { code } = await requestApi<{ code: string }>(user, 'POST', '/api/devices/pairing', {
    name,
  })
  return pairAgent(user.url, code, { name: '', phone, platform: 'simulator' }, () => stateFile)
}

/** The phone of an earlier run; undefined if there is none, or if the server has deleted it. */
async function readPairedState(url: string, stateFile: string): Promise<AgentState | undefined> {
  try {
    const state = { ...loadAgentState(stateFile), url }
    await callServer(state, '/api/devices/claim', { limit: 1 })
    saveState(stateFile, state)
    return state
  } catch (error) {
    if (error instanceof UserError || error instanceof GatewayError) return undefined
    throw error
  }
}

export interface DemoApi {
  readonly url: string
  readonly credentials: Readonly<Record<string, string>>
}

/** Sends a request as any HTTP client would. Throws an Error with the server's message. */
export async function requestApi<T>(
  api: DemoApi,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(api.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...api.credentials },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer as T
}

export interface HasId {
  readonly id: string
}

const makeRecordsPath = (collection: string) => `/api/collections/${collection}/records`

async function findRecords<T>(
  api: DemoApi,
  collection: string,
  asked: Readonly<Record<string, string>>,
): Promise<T[]> {
  const query = new URLSearchParams({ perPage: '200', skipTotal: '1', ...asked })
  return (await requestApi<{ items: T[] }>(api, 'GET', `${makeRecordsPath(collection)}?${query}`))
    .items
}

export const findFirstRecord = async <T extends HasId>(
  api: DemoApi,
  collection: string,
  filter: string,
) => (await findRecords<T>(api, collection, { filter, perPage: '1' }))[0]

/** Creates the record, or updates the one that `filter` matches. Returns its id. */
export async function ensureRecord(
  api: DemoApi,
  collection: string,
  filter: string,
  values: object,
): Promise<string> {
  const found = await findFirstRecord(api, collection, filter)
  const path = found ? `${makeRecordsPath(collection)}/${found.id}` : makeRecordsPath(collection)
  return (await requestApi<HasId>(api, found ? 'PATCH' : 'POST', path, values)).id
}

export async function signIn(url: string, collection: string, identity: string, password: string) {
  const path = `/api/collections/${collection}/auth-with-password`
  const body = { identity, password }
  const guest = { url, credentials: {} }
  const { token, record } = await requestApi<{ token: string; record: HasId }>(
    guest,
    'POST',
    path,
    body,
  )
  return { api: { url, credentials: { authorization: token } }, id: record.id }
}

export const DEMO_PATIENCE_MS = 20_000
