import { type Client, must } from '../../support/server/server-with-devices.ts'
import type { ScenarioContext } from '../scenario.ts'
import { Site, until } from '../site.ts'

/** Longer than a server needs to take over the carriers of a dead one. */
const LEASE_SECONDS = '60'
const PHONES = 3
const EVENTS = ['message.delivered', 'message.failed', 'message.received']
const CARRIERS = '/api/devices/carriers'
/** A server starts a new carrier within 5 s. */
const START_SECONDS = 60

/** `front` sends its texts by a carrier, which is an account of `back`, whose phones are simulated. */
export interface TwoSites {
  readonly front: Site
  readonly back: Site
  readonly user: Client
  readonly carrier: Client
  close(): Promise<void>
}

/** Two servers with a database each. */
export async function openTwoSites(context: ScenarioContext, rate: number): Promise<TwoSites> {
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', LEASE_SECONDS }
  const portOf = (place: number) => context.basePort + place
  const open = (place: number) =>
    Site.open({
      basePort: portOf(place),
      env: { ...env, PUBLIC_URL: `http://127.0.0.1:${portOf(place)}` },
    })
  const front = await open(0)
  const back = await open(1)
  const close = async () => {
    await front.close()
    await back.close()
  }
  try {
    const user = await front.makeUser()
    const carrier = await back.makeUser()
    for (let i = 0; i < PHONES; i++) (await back.addPhone(carrier)).start()
    await connect(user, carrier, back.url, rate)
    return { front, back, user, carrier, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Makes the account behind the carrier call the carrier, and waits until the carrier runs. */
async function connect(user: Client, carrier: Client, url: string, rate: number): Promise<void> {
  const named = { user: carrier.id, name: 'carrier' }
  const { key } = await must(carrier, 'POST', '/api/collections/api_keys/records', named)
  const account = { preset: 'pocketsms', url, rate, parallel: 20 }
  const made = await must(user, 'POST', CARRIERS, { account, ready: true, secret: key })
  const hook = { user: carrier.id, url: made.callback, events: EVENTS }
  const { secret } = await must(carrier, 'POST', '/api/collections/webhooks/records', hook)
  await must(user, 'PUT', `${CARRIERS}/${made.device}`, { account, webhook_secret: secret })
  const isRunning = async () => (await must(user, 'GET', CARRIERS)).items[0].running
  await until('the carrier runs', isRunning, START_SECONDS)
}
