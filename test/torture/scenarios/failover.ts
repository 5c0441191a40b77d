import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres } from '../../support/database/postgres.ts'
import type { Cluster } from '../failover/cluster.ts'
import { PatroniCluster, whyNoPatroni } from '../failover/patroni.ts'
import { Reader } from '../failover/reader.ts'
import { Replication } from '../failover/replication.ts'
import type { Scenario, ScenarioContext } from '../scenario.ts'
import type { Acknowledged } from '../senders.ts'
import { type Busy, strikeBusySite, until } from '../site.ts'
import { Audience } from '../subscriber.ts'

/** How long a server may take to send again. */
const PATIENCE_SECONDS = 90
const WAYS = ['several hosts', 'a front that closes nothing']

/** The primary of two Postgres is lost in every way, under two servers that reach it in two ways. */
export const failover: Scenario = {
  name: 'failover',
  what: 'the Postgres primary killed, stalled, replaced, without room, under two servers (Patroni if it is installed)',
  rounds: 20,
  async run(context) {
    if (!findPostgres()) return { faults: [], figures: 'NOT RUN: no Postgres is installed' }
    const why = whyNoPatroni()
    context.say(
      why ? `streaming replication, promoted by hand: ${why}` : 'Patroni, etcd and HAProxy',
    )
    const cluster = why ? await Replication.start() : await PatroniCluster.start()
    try {
      const { databaseUrls } = cluster
      return await strikeBusySite(
        context,
        (busy) => strikeOften(cluster, context, busy),
        databaseUrls,
      )
    } finally {
      await cluster.stop()
    }
  },
}

async function strikeOften(
  cluster: Cluster,
  { rounds, say }: ScenarioContext,
  { site, user, senders }: Busy,
): Promise<string[]> {
  const faults: string[] = []
  const urls = site.nodes.map(({ url }) => url)
  const readers = urls.map((url) => new Reader(url, user.token, senders))
  const audience = await Audience.open(urls, user.token, (await site.makeUser()).token)
  const openedMs = performance.now()
  const strikes = Object.entries(cluster.strikes)
  for (let round = 0; round < rounds; round++) {
    const [name, strike] = strikes[round % strikes.length]!
    await sleep(1_000 + Math.random() * 2_000)
    const struckMs = performance.now()
    await strike()
    const backMs = performance.now()
    const sendAgain = async () =>
      urls.every((url) => senders.acknowledged.some((one) => one.url === url && one.at > backMs))
    await until('all servers accept messages again', sendAgain, PATIENCE_SECONDS)
    await cluster.repair()
    const outages = urls.map((url) => longestPause(senders.acknowledged, url, struckMs))
    const told = outages.map((ms, i) => `${(ms / 1000).toFixed(1)} s by ${WAYS[i]}`).join(', ')
    say(`round ${round + 1}, ${name}: ${told}`)
    if (Math.max(...outages) > cluster.maxOutageMs)
      faults.push(`round ${round + 1}, ${name}: away ${told}`)
  }
  const due = senders.acknowledged.filter(({ at }) => at > openedMs).flatMap(({ ids }) => ids)
  faults.push(...(await audience.judge(due)))
  for (const reader of readers) await reader.stop()
  const answers = [senders.answers, ...readers.map((reader) => reader.answers)]
  const count = (status: string) => answers.reduce((sum, one) => sum + one.get(status), 0)
  say(`answers: ${count('200')} with 200, ${count('503')} with 503 and Retry-After`)
  return [
    ...faults,
    ...answers.flatMap((one) => one.strange()),
    ...site.nodes.flatMap((node) => node.failures()),
  ]
}

/** The longest time from `sinceMs` to now in which a server acknowledged nothing. */
function longestPause(
  acknowledged: readonly Acknowledged[],
  server: string,
  sinceMs: number,
): number {
  const times = acknowledged
    .filter(({ url, at }) => url === server && at > sinceMs)
    .map(({ at }) => at)
  const all = [sinceMs, ...times, performance.now()]
  return Math.max(...all.slice(1).map((at, i) => at - all[i]!))
}
