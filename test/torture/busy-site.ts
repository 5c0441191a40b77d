import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../support/server/server-with-devices.ts'
import { judgeAtRest } from './judge.ts'
import type { Outcome, ScenarioContext } from './scenario.ts'
import { Senders } from './senders.ts'
import { Site, type SiteOptions } from './site.ts'

const SENDERS = 16
const PHONES = 3
const PAUSE_MS = 150
/** Short, so that what a fault left open comes to its end while we watch. */
const LEASE_SECONDS = 10
const DRAIN_SECONDS = 180

export interface Busy {
  readonly site: Site
  readonly user: Client
  readonly senders: Senders
}

/** What a scenario does to a site at work; what it found wrong by itself. */
export type Strike = (busy: Busy) => Promise<readonly string[]>

/** A site with 16 senders and 3 phones at work, struck, then left to finish, then judged. */
export async function strikeBusySite(
  context: ScenarioContext,
  strike: Strike,
  databaseUrls?: SiteOptions['databaseUrls'],
): Promise<Outcome> {
  const env = { LEASE_SECONDS: String(LEASE_SECONDS) }
  const site = await Site.open({ ...context, ...(databaseUrls && { databaseUrls }), env })
  try {
    const user = await site.makeUser()
    const urls = site.nodes.map(({ url }) => url)
    for (let i = 0; i < PHONES; i++) await site.addPhone(user, urls[i % urls.length])
    for (const phone of site.phones) phone.start()
    const senders = new Senders({ urls, user, count: SENDERS, pauseMs: PAUSE_MS })
    senders.start()
    await sleep(500)
    const struck = await strike({ site, user, senders })
    for (const node of site.nodes) node.checkAlive()
    const { faults, figures } = await judgeAtRest(site, user, senders, DRAIN_SECONDS)
    const refused = [...senders.refused].map(([why, times]) => `answered ${times} times: ${why}`)
    return {
      faults: [...struck, ...refused, ...faults],
      figures: `${figures}; ${senders.unknown} answers lost and not asked for again`,
    }
  } finally {
    await site.close()
  }
}
