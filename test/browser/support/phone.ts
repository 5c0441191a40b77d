import type PocketBase from 'pocketbase'
import { client, must } from '../../support/server/server-with-devices.ts'

/** A message as a claim gives it. */
export interface Task {
  readonly id: string
  readonly attempt: number
  readonly to: string
  readonly body: string
  /** Of an MMS. */
  readonly attachments?: readonly { readonly size: number }[]
}

/** A phone that does what a scenario tells it. */
export interface Phone {
  readonly id: string
  readonly token: string
  /** Waits until there is something to send, and takes no more than `limit` of it. */
  claim(limit?: number): Promise<readonly Task[]>
  report(task: Task, status: 'sent' | 'delivered' | 'failed', more?: object): Promise<void>
  hear(from: string, body: string): Promise<void>
  /** Hands in up to 100 texts at once, which it has had since `at`. */
  hearLate(from: string, bodies: readonly string[], at: Date): Promise<void>
  /** A heartbeat. */
  beat(values: object): Promise<void>
}

const WAIT_SECONDS = 10

/** A SIM as a phone reports it. */
interface Sim {
  readonly slot: number
  readonly number?: string
  readonly operator?: string
}

/** Pairs a phone with a user by the device API, as the phone does. `simulator`: the console marks it. */
export async function pairPhone(
  url: string,
  user: PocketBase,
  name: string,
  sims: readonly Sim[] = [],
  platform: 'android' | 'simulator' = 'android',
): Promise<Phone> {
  const { code } = await user.send('/api/devices/pairing', { method: 'POST', body: { name } })
  return pairWith(url, code, name, sims, platform)
}

/** The same with a code that somebody has got by another way. */
export async function pairWith(
  url: string,
  code: string,
  name: string,
  sims: readonly Sim[] = [],
  platform = 'android',
): Promise<Phone> {
  const form = { code, name, platform, ...(sims.length > 0 && { sims }) }
  const { token, record } = await must(client(url, '', ''), 'POST', '/api/devices/pair', form)
  const ask = (path: string, body: object) =>
    must(client(url, record.id, token), 'POST', `/api/devices/${path}`, body)
  return {
    id: record.id,
    token,
    async claim(limit = 100) {
      const wish = { limit, wait: WAIT_SECONDS, mms: true }
      return (await ask('claim', wish)).items
    },
    async report({ id, attempt }, status, more = {}) {
      await ask('report', { items: [{ id, attempt, status, ...more }] })
    },
    async hear(from, body) {
      await ask('incoming', { items: [{ from, body, received_at: new Date().toISOString() }] })
    },
    async hearLate(from, bodies, at) {
      await ask('incoming', {
        items: bodies.map((body) => ({ from, body, received_at: at.toISOString() })),
      })
    },
    beat: (values) => ask('heartbeat', values),
  }
}
