import { setTimeout as sleep } from 'node:timers/promises'
import { strikeBusySite } from '../busy-site.ts'
import type { Scenario } from '../scenario.ts'
import type { Site } from '../site.ts'
import { WakeListener } from '../wake-listener.ts'

/** Devices with open messages are to be woken so soon after a restart. */
const MAX_WAKE_MS = 2_000
/** One in so many rounds kills a phone, too. */
const PHONE_EVERY = 5

/** The server is killed at random moments. */
export const killed: Scenario = {
  name: 'killed',
  what: 'kill -9 of the server under 16 senders and 3 phones, and now and then of a phone',
  rounds: 300,
  run: (context) =>
    strikeBusySite(context, async ({ site }) => {
      const [node] = site.nodes
      const restarts: Restart[] = []
      const ears = site.phones.map(({ device, token }) => new WakeListener(site.url, device, token))
      for (let round = 1; round <= context.rounds; round++) {
        await sleep(100 + Math.random() * 1_400)
        await node!.kill()
        const dead = round % PHONE_EVERY === 0 ? await killPhone(site, round) : undefined
        await node!.start()
        restarts.push(await lookAtOpen(site, dead))
        if (round % 10 === 0) context.say(`${round} kills`)
      }
      await sleep(MAX_WAKE_MS * 2)
      for (const listener of ears) await listener.close()
      return lateWakes(site, ears, restarts, context.say)
    }),
}

/** The device that has to start again and is not expected to be quick. */
async function killPhone({ phones }: Site, round: number): Promise<string> {
  const phone = phones[round % phones.length]!
  await phone.kill()
  phone.start()
  return phone.device
}

interface Restart {
  /** By the database's clock, which is that of the machine. */
  readonly at: string
  /** The same as performance.now() has it. */
  readonly atMs: number
  /** Devices with messages to claim. */
  readonly devices: readonly string[]
}

async function lookAtOpen({ db }: Site, except = ''): Promise<Restart> {
  const atMs = performance.now()
  const { rows } = await db.query(
    `select now()::text, array(select distinct device from sms_dispatch where state = 'assigned' and device <> $1)`,
    [except],
  )
  const [at, devices] = rows[0] as [string, string[]]
  return { at, atMs, devices }
}

/** How long after each restart the devices with open messages heard of them, or claimed by themselves. */
async function lateWakes(
  site: Site,
  ears: readonly WakeListener[],
  restarts: readonly Restart[],
  say: (line: string) => void,
): Promise<string[]> {
  const waits: number[] = []
  for (const restart of restarts)
    for (const listener of ears.filter(({ device }) => restart.devices.includes(device)))
      waits.push(
        Math.min(listener.waitFrom(restart.atMs), await waitOfClaim(site, listener.device, restart.at)),
      )
  waits.sort((a, b) => a - b)
  const [median, slowest] = [waits[waits.length >> 1] ?? 0, waits.at(-1) ?? 0]
  say(
    `wake-ups after a restart: ${waits.length}, median ${Math.round(median)} ms, slowest ${Math.round(slowest)} ms`,
  )
  return waits.filter((ms) => ms > MAX_WAKE_MS).map((ms) => `woken ${Math.round(ms)} ms after a restart`)
}

async function waitOfClaim({ db }: Site, device: string, since: string): Promise<number> {
  const { rows } = await db.query(
    `select 1000 * extract(epoch from min(at) - $2::timestamptz)::float8 from device_handouts
      where device = $1 and at >= $2::timestamptz`,
    [device, since],
  )
  return Number(rows[0]![0] ?? Number.POSITIVE_INFINITY)
}
