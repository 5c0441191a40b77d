import { setTimeout as sleep } from 'node:timers/promises'
import { openAttemptJournal } from '../../../src/gateway/carriers/carrier-attempt-journal.ts'
import { makeDeviceLink } from '../../../src/gateway/carriers/carrier-device-link.ts'
import { extendAllLeases } from '../../../src/gateway/messages/queue/message-leases.ts'
import type {
  Driver,
  OutgoingText,
  SendResult,
} from '../../../src/programs/agent/driver-interface.ts'
import { runDriver } from '../../../src/programs/agent/run-driver.ts'
import { type Journal, UNSTORED_MS } from '../../../src/programs/agent/send-journal.ts'
import { type ServerLink, ServerUnavailable } from '../../../src/programs/agent/server-link.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// Each step of a server that sends by a carrier may take as long as a hanging database, and two servers may
// run the carrier meanwhile. docs/internals/delivery.md lists the steps.

const LEASE_SECONDS = 5
/** Longer than a lease. */
const HANG_MS = LEASE_SECONDS * 1_000 + 1_000
/** After this time, a text that another attempt can send has been sent again. */
const AGAIN_MS = 8_000
const gateway = await startServerWithDevices({ LEASE_SECONDS: String(LEASE_SECONDS) })
const { services } = gateway.server

/** What happens instead of a step; `step` carries it out. */
interface Hangs {
  claim?(step: () => Promise<unknown>): Promise<unknown>
  report?(step: () => Promise<unknown>): Promise<unknown>
  begin?(step: () => ReturnType<Journal['begin']>): ReturnType<Journal['begin']>
  send?(text: OutgoingText): Promise<SendResult>
}

interface Carrier {
  readonly user: Client
  readonly device: string
  /** Each request, with the attempt. */
  readonly requests: number[]
}

async function openCarrier(guarantee: string): Promise<Carrier & { readonly id: string }> {
  const user = await gateway.makeUser()
  const device = (await gateway.pair(user)).id
  const { message_ids } = await must(user, 'POST', '/api/sms/send', {
    recipients: ['+4915112345678'],
    body: 'Hello',
    guarantee,
  })
  return { user, device, requests: [], id: message_ids[0] }
}

const stops: (() => Promise<void>)[] = []
afterAll(async () => void (await Promise.all(stops.map((stop) => stop()))))

/** A server that runs the carrier until all tests have ended. */
async function startRunning(
  { user, device, requests }: Carrier,
  hangs: Hangs,
  leaseSeconds = LEASE_SECONDS,
): Promise<{ stop(): Promise<void> }> {
  const real = await openAttemptJournal(services.store.forUser(user.id).db, device)
  const begin: Journal['begin'] = (...attempt) => {
    const step = () => real.begin(...attempt)
    return hangs.begin?.(step) ?? step()
  }
  const config = { ...services.config, leaseSeconds }
  const link = makeDeviceLink({ ...services, config }, { device, user: user.id })
  const call: ServerLink['call'] = async (path, ...rest) => {
    const step = () => link.call(path, ...rest)
    const hang = { '/api/devices/claim': hangs.claim, '/api/devices/report': hangs.report }[path]
    // biome-ignore lint/suspicious/noExplicitAny: the answer of the step
    return (hang ? hang(step) : step()) as any
  }
  const driver: Driver = {
    parallel: 5,
    start: async () => {},
    stop: async () => {},
    async send(text) {
      requests.push(text.attempt)
      return (await hangs.send?.(text)) ?? { outcome: 'sent' }
    },
  }
  const ended = new AbortController()
  const journal = { ...real, begin }
  const running = runDriver({ ...link, call }, driver, journal, () => {}, ended.signal)
  const stop = async () => {
    ended.abort()
    await running
  }
  stops.push(stop)
  return { stop }
}

const statusOf = async (user: Client, id: string) =>
  (await must(user, 'GET', `/api/collections/sms_messages/records/${id}`)).status

/** Runs the first call otherwise. */
function once<T>(first: (step: () => Promise<T>) => Promise<T>) {
  let isFirst = true
  return (step: () => Promise<T>) => {
    if (!isFirst) return step()
    isFirst = false
    return first(step)
  }
}

const hang = once.bind(null, async (step: () => Promise<unknown>) => {
  const answer = await step()
  await sleep(HANG_MS)
  return answer
}) as () => (step: () => Promise<unknown>) => Promise<unknown>

beforeAll(async () => {
  // after its start, a server counts no device as silent for three leases
  await sleep(3 * LEASE_SECONDS * 1_000 + 1_000)
}, 60_000)

describe.concurrent('a text is sent once', () => {
  test.each<[what: string, guarantee: string, hangs: () => Hangs, requests: number]>([
    ['the answer to a claim hangs', 'at_least_once', () => ({ claim: hang() }), 1],
    [
      'the answer to the begin of its attempt hangs',
      'at_least_once',
      () => ({ begin: hang() as Hangs['begin'] }),
      1,
    ],
    [
      'the answer to the begin of its attempt hangs, and it must not be sent twice',
      'at_most_once',
      () => ({ begin: hang() as Hangs['begin'] }),
      0,
    ],
    ['its report hangs', 'at_most_once', () => ({ report: hang() }), 1],
    [
      'the carrier answers after the lease',
      'at_most_once',
      () => ({
        send: async () => {
          await sleep(HANG_MS)
          return { outcome: 'sent' }
        },
      }),
      1,
    ],
  ])('a text is sent once if %s', async (_, guarantee, hangs, requests) => {
    const carrier = await openCarrier(guarantee)
    await startRunning(carrier, hangs())
    await sleep(HANG_MS + AGAIN_MS)
    expect(carrier.requests).toHaveLength(requests)
  })

  test('a text is sent once if its attempt cannot be stored here until the lease ends, and another server begins it', async () => {
    const carrier = await openCarrier('at_most_once')
    let isAway = true
    const begin: Hangs['begin'] = async (step) => {
      if (!isAway) return step()
      await sleep(UNSTORED_MS)
      return 'unstored'
    }
    await startRunning(carrier, { begin })
    const isSending = async () => (await statusOf(carrier.user, carrier.id)) === 'sending'
    await until('it is claimed', isSending)
    let sends = 0
    const send: Hangs['send'] = async () => {
      if (sends++ > 0) return { outcome: 'sent' }
      await sleep(HANG_MS)
      isAway = false
      return { outcome: 'unknown' }
    }
    await startRunning(carrier, { send })
    await sleep(HANG_MS + AGAIN_MS)
    expect(carrier.requests).toHaveLength(1)
  })

  test('a text is sent once if its attempt cannot be stored, and its lease is extended after the outage', async () => {
    const carrier = await openCarrier('at_most_once')
    let isAway = true
    const begin: Hangs['begin'] = async (step) => {
      if (!isAway) return step()
      await sleep(UNSTORED_MS)
      return 'unstored'
    }
    const report: Hangs['report'] = async (step) => {
      if (isAway) throw new ServerUnavailable('away')
      // reports leave after claims
      await sleep(2_000)
      return step()
    }
    await startRunning(carrier, { begin, report })
    await sleep(LEASE_SECONDS * 1_000 - 1_500)
    await extendAllLeases(services.store.forEverybody('test').db, 60)
    isAway = false
    await sleep(AGAIN_MS)
    expect(carrier.requests).toHaveLength(1)
  })

  test('a text is sent once if the answer to a claim arrives after its attempt was reported and forgotten', async () => {
    const carrier = await openCarrier('at_most_once')
    const claim: Hangs['claim'] = once(async (step) => {
      await until('the first server sends it', () => carrier.requests.length === 1)
      const answer = await step()
      const isSent = async () => (await statusOf(carrier.user, carrier.id)) === 'sent'
      await until('its result is stored', isSent)
      // as the first server does a minute after the report
      await gateway.query('delete from carrier_attempts where message = $1', [carrier.id])
      return answer
    })
    await startRunning(carrier, { claim }, 120)
    await startRunning(carrier, { send: () => sleep(2_000, { outcome: 'sent' }) }, 120)
    await until('the first server sends it', () => carrier.requests.length === 1)
    await sleep(AGAIN_MS)
    expect(carrier.requests).toHaveLength(1)
  })
})
