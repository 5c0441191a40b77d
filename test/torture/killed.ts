import { setTimeout as sleep } from 'node:timers/promises'
import { strikeBusySite } from './busy-site.ts'
import type { Scenario } from './scenario.ts'
import type { Site } from './site.ts'

/** Open messages are to be claimed so soon after a restart. */
const MAX_WAKE_MS = 2_000
/** One in so many rounds kills a phone, too. */
const PHONE_EVERY = 5

/** The server is killed at random moments. */
export const killed: Scenario = {
  name: 'killed',
  what: 'kill -9 of the server under 16 senders and 3 phones, and now and then of a phone',
  rounds: 300,
  run: (stage) =>
    strikeBusySite(stage, async ({ site }) => {
      const [node] = site.nodes
      const restarts: Restart[] = []
      for (let round = 1; round <= stage.rounds; round++) {
        await sleep(100 + Math.random() * 1_400)
        await node!.kill()
        const dead = round % PHONE_EVERY === 0 ? await killPhone(site, round) : undefined
        await node!.start()
        restarts.push(await lookAtOpen(site, dead))
        if (round % 10 === 0) stage.say(`${round} kills`)
      }
      await sleep(MAX_WAKE_MS * 2)
      return lateWakes(site, restarts, stage.say)
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
  /** Devices with messages to claim. */
  readonly devices: readonly string[]
}

async function lookAtOpen({ db }: Site, except = ''): Promise<Restart> {
  const { rows } = await db.query(
    `select now()::text, array(select distinct device from sms_dispatch where state = 'assigned' and device <> $1)`,
    [except],
  )
  const [at, devices] = rows[0] as [string, string[]]
  return { at, devices }
}

/** How long after each restart the devices with open messages claimed again. */
async function lateWakes({ db }: Site, restarts: readonly Restart[], say: (line: string) => void) {
  const waits: number[] = []
  for (const { at, devices } of restarts) {
    const { rows } = await db.query(
      `select 1000 * extract(epoch from min(h.at) - $1::timestamptz)
        from unnest($2::text[]) d left join device_handouts h on h.device = d and h.at >= $1::timestamptz
        group by d`,
      [at, devices],
    )
    waits.push(...rows.map(([ms]) => (ms === null ? Number.POSITIVE_INFINITY : Number(ms))))
  }
  waits.sort((a, b) => a - b)
  const late = waits.filter((ms) => ms > MAX_WAKE_MS)
  say(
    `claims after a restart: ${waits.length}, median ${Math.round(waits[waits.length >> 1] ?? 0)} ms, slowest ${Math.round(waits.at(-1) ?? 0)} ms`,
  )
  return late.map((ms) => `open messages were claimed ${Math.round(ms)} ms after a restart`)
}
