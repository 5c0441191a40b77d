import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '../failover/cluster.ts'
import type { Scenario } from '../scenario.ts'
import { type Site, strikeBusySite, until } from '../site.ts'
import { Audience } from '../subscriber.ts'

/** After a kill the server accepts messages again within this time. */
const MAX_OUTAGE_SECONDS = 10

/** What is killed, in turns. */
const VICTIMS: Readonly<Record<string, (site: Site) => Promise<void>>> = {
  server: (site) => restart(site, () => {}),
  phone: async ({ phones }) => {
    const phone = oneOf(phones)
    await phone.kill()
    phone.start()
  },
  postmaster: async (site) => signal(processesOf(site).slice(0, 1), 'SIGKILL'),
  backend: async (site) => signal([oneOf(processesOf(site).slice(1))], 'SIGKILL'),
  'server and database': (site) => restart(site, () => signal(processesOf(site), 'SIGKILL')),
}

/** Phones, and processes of the server and of its own Postgres, are killed at random moments. */
export const killed: Scenario = {
  name: 'killed',
  what: 'kill -9 of the server, a phone, Postgres, one connection, server and Postgres, under 16 senders and 3 phones',
  rounds: 200,
  run: (context) =>
    strikeBusySite(context, async ({ site, user, senders }) => {
      const faults: string[] = []
      const victims = Object.entries(VICTIMS)
      const audience = await Audience.open([site.url], user.token, (await site.makeUser()).token)
      const openedMs = performance.now()
      let slowestMs = 0
      for (let round = 1; round <= context.rounds; round++) {
        const [name, strike] = victims[round % victims.length]!
        await sleep(500 + Math.random() * 1_500)
        const struckMs = performance.now()
        await strike(site)
        const before = senders.acknowledged.length
        await until(
          'messages are accepted again',
          async () => senders.acknowledged.length > before,
          60,
        )
        const ms = performance.now() - struckMs
        slowestMs = Math.max(slowestMs, ms)
        if (ms > MAX_OUTAGE_SECONDS * 1_000)
          faults.push(`round ${round}, ${name}: ${Math.round(ms)} ms away`)
        if (round % 10 === 0)
          context.say(`${round} kills, longest outage ${Math.round(slowestMs)} ms`)
      }
      const due = senders.acknowledged.filter(({ at }) => at > openedMs).flatMap(({ ids }) => ids)
      return [...faults, ...(await audience.judge(due))]
    }),
}

const processesOf = ({ embedded }: Site) => embedded!.processes()

async function restart({ nodes: [node] }: Site, kill: () => void): Promise<void> {
  kill()
  await node!.kill()
  await node!.start()
}

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
