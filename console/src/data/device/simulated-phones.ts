import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { ClientResponseError } from 'pocketbase'
import { postRequest, serverUrl } from '../client.ts'
import type { Device } from '../record-types.ts'
import { rememberSignal } from '../remembered.ts'
import { session } from '../session.ts'

// Runs simulated phones in this browser while the console is open. Each uses the same device API as a real
// phone: it fetches texts to send, reports them as delivered, and submits the texts it receives.

interface SimulatedText {
  readonly id: string
  /** The recipient's number; for a received text, the sender's. */
  readonly number: string
  readonly body: string
  readonly isReceived: boolean
}

interface SimulatedPhone {
  readonly token: string
  /** The id of the phone's user. The phone runs while that user is signed in. */
  readonly user: string
}

interface Claimed {
  readonly id: string
  readonly attempt: number
  readonly to: string
  readonly body: string
}

const WAIT_SECONDS = 25
const PAUSE_MS = 5_000
const DELIVERY_MS = 1_000
const MOST_TEXTS = 50
const UNAUTHORIZED = 401

const phones = rememberSignal<Readonly<Record<string, SimulatedPhone>>>('simulated-phones', {})
const said = signal<Readonly<Record<string, readonly SimulatedText[]>>>({})
const running = new Map<string, AbortController>()

export const simulatedTexts: ReadonlySignal<Readonly<Record<string, readonly SimulatedText[]>>> =
  said

export const isPlayedHere = (device: string) => device in phones.value

export async function addSimulatedPhone(name: string): Promise<Device> {
  const { code } = await postRequest<{ code: string }>('/api/devices/pairing', { name })
  const { token, record } = await askAsPhone<{ token: string; record: Device }>('pair', {
    code,
    platform: 'simulator',
  })
  phones.value = { ...phones.value, [record.id]: { token, user: record.user } }
  return record
}

/** Makes a simulated phone receive a text. Throws if the server refuses it. */
export async function receiveText(device: string, number: string, body: string): Promise<void> {
  const { token } = phones.value[device]!
  const items = [{ from: number, body, received_at: new Date().toISOString() }]
  const { ids } = await askAsPhone<{ ids: string[] }>('incoming', { items }, token)
  noteText(device, { id: ids[0]!, number, body, isReceived: true })
}

effect(() => {
  const user = session.value?.record.id
  const mine = Object.entries(phones.value).filter(([, phone]) => phone.user === user)
  for (const [device, { token }] of mine) if (!running.has(device)) startPhone(device, token)
  for (const [device, controller] of running) {
    if (mine.some(([id]) => id === device)) continue
    running.delete(device)
    controller.abort()
  }
})

/** Runs a phone in only one tab at a time, by a Web Lock. Plain http has no locks: all tabs run it. */
function startPhone(device: string, token: string): void {
  const controller = new AbortController()
  running.set(device, controller)
  const { signal } = controller
  const playing = () => playPhone(device, token, signal)
  const started = navigator.locks
    ? navigator.locks.request(`pocketsms-phone-${device}`, { signal }, playing)
    : playing()
  started.catch(() => {}) // stopped while waiting for the lock
}

async function playPhone(device: string, token: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      const wish = { limit: 10, wait: WAIT_SECONDS }
      const { items } = await askAsPhone<{ items: Claimed[] }>('claim', wish, token, ended)
      if (items.length > 0) await claimTexts(device, token, items)
    } catch (error) {
      if (error instanceof ClientResponseError && error.status === UNAUTHORIZED)
        return forgetPhone(device)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}

async function claimTexts(device: string, token: string, items: readonly Claimed[]): Promise<void> {
  for (const { id, to, body } of items)
    noteText(device, { id, number: to, body, isReceived: false })
  await reportTexts(token, items, 'sent')
  setTimeout(() => void reportTexts(token, items, 'delivered').catch(() => {}), DELIVERY_MS)
}

const reportTexts = (token: string, items: readonly Claimed[], status: 'sent' | 'delivered') =>
  askAsPhone('report', { items: items.map(({ id, attempt }) => ({ id, attempt, status })) }, token)

function noteText(device: string, text: SimulatedText): void {
  const texts = [...(said.value[device] ?? []), text].slice(-MOST_TEXTS)
  said.value = { ...said.value, [device]: texts }
}

function forgetPhone(device: string): void {
  const { [device]: _, ...others } = phones.value
  phones.value = others
}

/** Calls the device API. Throws a ClientResponseError if the server refuses. */
async function askAsPhone<T>(
  path: string,
  body: object,
  token = '',
  ended?: AbortSignal,
): Promise<T> {
  const response = await fetch(`${serverUrl}/api/devices/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    ...(ended && { signal: ended }),
  })
  const answer = await response.json()
  if (!response.ok)
    throw new ClientResponseError({ url: response.url, status: response.status, response: answer })
  return answer
}
