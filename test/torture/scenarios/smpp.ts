import { freePort } from '../../support/database/postgres.ts'
import type { Scenario } from '../scenario.ts'
import { Site } from '../site.ts'
import {
  startCloudhopper,
  startKannel,
  startTwisted,
  whyNoCloudhopper,
  whyNoSmscs,
} from '../smpp/smscs.ts'
import { BATCHES, tryDriver } from '../smpp/trial.ts'

/** Short, so that what a fault left open comes to its end while we watch. */
const LEASE_SECONDS = 30
const RATE_SECONDS = 60
const SHORT_LEASE_SECONDS = 10
const SHORT_SECONDS = 5
/** Long texts that come in where nothing fails. */
const FEW = 3

/** The agent's SMPP driver at SMSCs of others. */
export const smpp: Scenario = {
  name: 'smpp',
  what: "the agent's SMPP driver at Kannel's drive_smpp, smpp.twisted and Cloudhopper: faults of links, answers and receipts, both killed; 200 texts a second",
  rounds: 20,
  async run(context) {
    const why = whyNoSmscs()
    if (why) return { faults: [], figures: `NOT RUN: ${why}` }
    const { isShort } = context.hostile
    const rounds = isShort ? 1 : context.rounds
    const seconds = isShort ? SHORT_SECONDS : RATE_SECONDS
    const site = await Site.open({
      ...context,
      env: { LEASE_SECONDS: String(isShort ? SHORT_LEASE_SECONDS : LEASE_SECONDS) },
    })
    const whyNot = whyNoCloudhopper()
    if (whyNot) context.say(`Cloudhopper NOT RUN: ${whyNot}`)
    const makers = [startKannel, startTwisted, ...(whyNot ? [] : [startCloudhopper])]
    const faults: string[] = []
    const play = async (make: (typeof makers)[number], times: number) => {
      const smsc = make(await freePort(), site.folder, times * BATCHES || FEW, times > 0)
      const outcome = await tryDriver(site, smsc, times, seconds)
      const name = `${smsc.name}, ${times} rounds of faults`
      context.say(`${name}: ${outcome.figures}`)
      faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`))
    }
    try {
      // with faults most of the time is waiting, so these go side by side
      await Promise.all(makers.map((make) => play(make, rounds)))
      for (const make of makers) await play(make, 0)
    } finally {
      await site.close()
    }
    return { faults, figures: `${rounds} kills of agent and SMSC each` }
  },
}
