import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, must } from '../../support/server/server-with-devices.ts'
import { openTwoSites, type TwoSites } from '../carrier/two-sites.ts'
import { judgeTwoSites } from '../carrier/verdict.ts'
import type { Scenario } from '../scenario.ts'
import { type Site, until } from '../site.ts'

const RATE = 200
const BATCH = 50
const TEXTS = 10_000
const EVERY_MS = 20_000
/** With --short. */
const FEW_TEXTS = 500
const SHORT_EVERY_MS = 15_000
/** Texts that the phones receive: one of so many sent. */
const INCOMING_SHARE = 50
const DRAIN_SECONDS = 900
const LAND_SECONDS = 300
const RETRY_MS = 200
const OPTED_OUT = ['+491700000001', '+491700000002', '+491700000003']

/** A pocketsms whose carrier is another pocketsms, whose phones send. */
export const carrier: Scenario = {
  name: 'carrier',
  what: 'kill -9 of a server and of the server that is its carrier, in turns, under texts in both directions',
  rounds: 1_000,
  async run(context) {
    const { isShort } = context.hostile
    const texts = isShort ? FEW_TEXTS : TEXTS
    const sites = await openTwoSites(context, isShort ? RATE / 4 : RATE)
    try {
      const begin = performance.now()
      const sending = sendAll(sites, texts)
      const receiving = receiveAll(sites, texts / INCOMING_SHARE)
      const kills = await killWhile(
        [sending, receiving],
        sites,
        isShort ? SHORT_EVERY_MS : EVERY_MS,
        context.rounds,
        context.say,
      )
      const [acknowledged, incoming] = [await sending, await receiving]
      await sites.front.drain(DRAIN_SECONDS)
      await sites.back.drain(DRAIN_SECONDS)
      const seconds = Math.round((performance.now() - begin) / 1000)
      await untilLanded(sites, incoming.length)
      const optOut = await optOuts(sites)
      const { faults, figures } = await judgeTwoSites(sites, { acknowledged, incoming })
      return {
        faults: [...optOut, ...faults],
        figures: `${kills} kills, ${figures}; all left within ${seconds} s`,
      }
    } finally {
      await sites.close()
    }
  },
}

/** Asks until there is an answer of a server that runs. */
async function asked(by: Client, method: string, path: string, body: object) {
  for (;;) {
    const answer = await by.call(method, path, body).catch(() => undefined)
    if (answer && answer.status < 500 && answer.status !== 409) return answer
    await sleep(RETRY_MS)
  }
}

/** Sends texts in batches, half of them at_least_once. Returns the ids that were acknowledged. */
async function sendAll({ user, front }: TwoSites, texts: number): Promise<ReadonlySet<string>> {
  const acknowledged = new Set<string>()
  for (let first = 0; first < texts; first += BATCH) {
    const recipients = Array.from({ length: BATCH }, (_, i) => `+4915${10_000_000 + first + i}`)
    const guarantee = (first / BATCH) % 2 === 0 ? 'at_most_once' : 'at_least_once'
    const body = JSON.stringify({ recipients, body: `Hello ${first}`, guarantee })
    const headers = {
      authorization: user.token,
      'content-type': 'application/json',
      'idempotency-key': `b${first}`,
    }
    for (;;) {
      const answer = await fetch(`${front.url}/api/sms/send`, { method: 'POST', headers, body })
        .then(async (found) =>
          found.ok ? ((await found.json()) as { message_ids: string[] }) : undefined,
        )
        .catch(() => undefined)
      for (const id of answer?.message_ids ?? []) acknowledged.add(id)
      if (answer) break
      await sleep(RETRY_MS)
    }
  }
  return acknowledged
}

/** Lets a phone receive texts, with pauses. A repeated request has the same time. Returns the bodies. */
async function receiveAll({ back }: TwoSites, count: number): Promise<readonly string[]> {
  const phone = back.phones[0]!
  const bodies: string[] = []
  for (let i = 0; i < count; i++) {
    const body = `Answer ${i}`
    const item = {
      from: `+4916${10_000_000 + i}`,
      body,
      sim: 0,
      received_at: new Date().toISOString(),
    }
    const { status } = await asked(phoneOf(back, phone.token), 'POST', '/api/devices/incoming', {
      items: [item],
    })
    if (status < 300) bodies.push(body)
    await sleep(RETRY_MS)
  }
  return bodies
}

const phoneOf = ({ url }: Site, token: string): Client => ({
  id: '',
  token,
  async call(method, path, body) {
    const headers = { authorization: token, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    return { status: answer.status, body: await answer.json().catch(() => undefined) }
  },
})

/** Kills the servers in turns while the work goes on or texts wait. Returns how often. */
async function killWhile(
  work: readonly Promise<unknown>[],
  { front, back }: TwoSites,
  everyMs: number,
  most: number,
  say: (line: string) => void,
): Promise<number> {
  let isOver = false
  void Promise.allSettled(work).then(() => (isOver = true))
  const waiting = () => front.value('select count(*) from sms_dispatch').catch(() => 1)
  let kills = 0
  do {
    const site = kills % 2 === 0 ? back : front
    await sleep(everyMs * (0.75 + Math.random() / 2))
    await site.nodes[0]!.kill()
    await site.nodes[0]!.start()
    kills++
    say(`${kills} kills, ${await waiting()} texts wait`)
  } while (kills < Math.min(most, 2) || (kills < most && (!isOver || (await waiting()) > 0)))
  return kills
}

/** Until receipts and received texts have arrived. Calls that failed are repeated now, not after minutes. */
async function untilLanded({ front, back, user }: TwoSites, incoming: number): Promise<void> {
  const received = `select count(*) from sms_messages where "user" = $1 and message_type = 'incoming'`
  await until(
    'receipts and texts have landed',
    async () => {
      await back.db.query(
        'update webhook_dispatch set due_at = now() where handed_at is null and due_at > now()',
      )
      const calls = await back.value('select count(*) from webhook_dispatch')
      return calls === 0 && (await front.value(received, [user.id])) >= incoming
    },
    LAND_SECONDS,
  ).catch(() => {}) // the verdict tells which are missing
}

/** A STOP to the carrier's phone stops texts on both servers. */
async function optOuts({ front, back, user }: TwoSites): Promise<string[]> {
  const phone = phoneOf(back, back.phones[0]!.token)
  for (const from of OPTED_OUT) {
    const item = { from, body: 'STOP', sim: 0, received_at: new Date().toISOString() }
    await must(phone, 'POST', '/api/devices/incoming', { items: [item] })
  }
  const stops = `select count(*) from sms_messages where "user" = $1 and body = 'STOP'`
  const have = async () => (await front.value(stops, [user.id])) === OPTED_OUT.length
  await until('each STOP is at the server in front', have, LAND_SECONDS)
  await must(user, 'POST', '/api/sms/send', { recipients: OPTED_OUT, body: 'Are you there?' })
  await front.drain(DRAIN_SECONDS)
  const refused = await front.value(
    `select count(*) from sms_messages where "user" = $1 and body = 'Are you there?' and error_message like '%opted out%'`,
    [user.id],
  )
  return refused === OPTED_OUT.length
    ? []
    : [`${OPTED_OUT.length - refused} texts to numbers that opted out`]
}
