import { setTimeout as sleep } from 'node:timers/promises'
import { strikeBusySite } from '../busy-site.ts'
import type { Scenario } from '../scenario.ts'

/** Postgres is stopped hard (immediate shutdown) at random moments and recovers from its log. */
export const postgresCrash: Scenario = {
  name: 'postgres-crash',
  what: 'Postgres stopped hard and started again, under the same load',
  rounds: 30,
  run: (context) =>
    strikeBusySite(context, async ({ site, senders }) => {
      const faults: string[] = []
      for (let round = 1; round <= context.rounds; round++) {
        const before = senders.acknowledged.length
        await sleep(500 + Math.random() * 2_000)
        if (senders.acknowledged.length === before) faults.push(`nothing was accepted before cut ${round}`)
        await context.postgres.crash(Math.random() * 1_000)
        for (const node of site.nodes) node.checkAlive()
        if (round % 10 === 0) context.say(`${round} cuts`)
      }
      return faults
    }),
}
