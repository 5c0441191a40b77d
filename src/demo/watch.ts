import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, request } from './api.ts'

interface Event {
  readonly id: string
  readonly message: string
  readonly status: string
  readonly device: string
}

const LOOK_MS = 100
const FINAL = new Set(['delivered', 'failed'])

/** Names for what has only an id or a number. */
export interface Names {
  /** Who a message goes to, by its id. */
  readonly recipients: ReadonlyMap<string, string>
  readonly devices: ReadonlyMap<string, string>
}

/** Prints the status of messages until all are final (true) or `patienceMs` have passed. */
export async function watch(
  user: Api,
  { recipients, devices }: Names,
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
