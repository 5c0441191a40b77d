import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/server/server-with-devices.ts'
import type { Scenario } from '../scenario.ts'
import { Site } from '../site.ts'

const POSTS = 200
const RECIPIENTS = 20
const MAX_TRIES = 50

/**
 * 200 posts with one Idempotency-Key at once on two nodes; in every other round one of them is killed
 * meanwhile.
 */
export const oneKey: Scenario = {
  name: 'one-key',
  what: '200 parallel posts with one Idempotency-Key to two nodes, one of them killed in the middle',
  rounds: 10,
  async run(context) {
    const site = await Site.open({ ...context, nodes: 2 })
    try {
      const user = await site.makeUser()
      const device = await site.addDevice(user)
      await device.call('POST', '/api/devices/heartbeat', {})
      const faults: string[] = []
      for (let round = 0; round < context.rounds; round++) {
        const begin = performance.now()
        faults.push(...(await playRound(site, user, round)))
        context.say(`key ${round + 1}: ${Math.round(performance.now() - begin)} ms`)
      }
      return { faults, figures: `${context.rounds} keys, ${POSTS} posts each` }
    } finally {
      await site.close()
    }
  },
}

async function playRound(site: Site, user: Client, round: number): Promise<string[]> {
  const key = randomUUID()
  const recipients = Array.from(
    { length: RECIPIENTS },
    (_, i) => `+4916${round}${String(i).padStart(5, '0')}`,
  )
  const body = JSON.stringify({ recipients, body: key })
  const posts = Array.from({ length: POSTS }, (_, i) =>
    postUntilTaken(site.nodes[i % 2]!.url, user, key, body),
  )
  if (round % 2 === 1) {
    await sleep(Math.random() * 80)
    await site.nodes[0]!.kill()
    await site.nodes[0]!.start()
  }
  const answers = await Promise.all(posts)
  const stored = await site.value('select count(*) from sms_messages where body = $1', [key])
  const different = new Set(answers)
  return [
    ...(stored === RECIPIENTS ? [] : [`round ${round}: ${stored} messages stored, not ${RECIPIENTS}`]),
    ...(different.size === 1 ? [] : [`round ${round}: different answers: ${[...different].join(' ')}`]),
  ]
}

/** Posts until it is taken; the text of the answer. */
async function postUntilTaken(url: string, user: Client, key: string, body: string): Promise<string> {
  let last = ''
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const headers = { authorization: user.token, 'content-type': 'application/json', 'idempotency-key': key }
    const response = await fetch(`${url}/api/sms/send`, { method: 'POST', headers, body }).catch(
      () => undefined,
    )
    last = `${response?.status} ${(await response?.text().catch(() => ''))?.trim()}`
    if (response?.status === 200 && last.endsWith('}')) return last
    await sleep(100 + Math.random() * 200)
  }
  return last
}
