import { setTimeout as sleep } from 'node:timers/promises'
import { strikeBusySite } from '../busy-site.ts'
import type { Scenario } from '../scenario.ts'
import { type Site, until } from '../site.ts'

const QUOTA = 2_500
const SECONDS = 120

/** Two nodes take the sends of one user until the quota is used up. */
export const twoNodes: Scenario = {
  name: 'two-nodes',
  what: 'two nodes on one Postgres: strict turns, exact quota, nobody gets what another has',
  rounds: 1,
  run: (context) =>
    strikeBusySite(
      context,
      async ({ site, user, senders }) => {
        await until('the quota is used up', async () => senders.refused.size > 0, SECONDS)
        await sleep(2_000)
        const stored = await site.value('select count(*) from sms_messages')
        const others = [...senders.refused.keys()].filter((why) => why !== '402 quota_exceeded')
        return [
          ...others,
          ...(stored > QUOTA || stored <= QUOTA - 3 ? [`${stored} messages on a quota of ${QUOTA}`] : []),
          ...(await brokenTurns(site, user.id)),
        ]
      },
      { nodes: 2, quota: QUOTA },
    ),
}

/**
 * Messages in the order of their acceptance must go to the devices in turn. Nothing was rerouted: all claim.
 */
async function brokenTurns({ db }: Site, user: string): Promise<string[]> {
  const { rows } = await db.query('select device from sms_messages where "user" = $1 order by _rowid', [user])
  const devices = rows.map(([device]) => String(device))
  const ids = [...new Set(devices)].sort()
  const places = devices.map((device) => ids.indexOf(device))
  const breaks = places.filter((place, i) => i > 0 && place !== (places[i - 1]! + 1) % ids.length)
  return breaks.length > 0 ? [`${breaks.length} of ${places.length} messages are out of turn`] : []
}
