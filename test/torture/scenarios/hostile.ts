import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, client } from '../../support/server/server-with-devices.ts'
import { judge } from '../judge.ts'
import type { Scenario } from '../scenario.ts'
import { Senders } from '../senders.ts'
import { Site } from '../site.ts'

const CALM_MS = 4_000
const STORM_MS = 10_000
const FLOODS = 8
/** What others may notice: a send in the storm, at the median. */
const MAX_MEDIAN_MS = 250

/** A paired device of another user does whatever it likes. */
export const hostile: Scenario = {
  name: 'hostile',
  what: 'a device floods reports and texts, claims what is not its own, lies about time',
  rounds: 1,
  async run(context) {
    const site = await Site.open({ ...context, env: { LEASE_SECONDS: '10' } })
    try {
      const user = await site.makeUser()
      for (let i = 0; i < 2; i++) (await site.addPhone(user)).start()
      const villain = await site.addDevice(await site.makeUser())
      const senders = new Senders({ urls: [site.url], user, count: 4, pauseMs: 100 })
      senders.start()
      await sleep(CALM_MS)
      const calm = await medianOfSends(site.url, user)
      const storm = startStorm(site, villain, senders)
      const stormy = await medianOfSends(site.url, user, STORM_MS)
      const { answers, faults: wrong } = await storm()
      await senders.stop()
      await site.drain(60)
      await sleep(1_000)
      for (const phone of site.phones) await phone.stop()
      const { faults, figures } = await judge(site, user, senders.acknowledged)
      const foreign = await site.value(
        `select count(*) from sms_messages where message_type = 'incoming' and "user" = $1`,
        [user.id],
      )
      const refused = [...senders.refused.keys()]
      return {
        faults: [
          ...wrong,
          ...faults,
          ...refused,
          ...(foreign ? [`${foreign} texts came in at another user`] : []),
          ...(stormy > MAX_MEDIAN_MS ? [`a send of others took ${stormy} ms in the storm`] : []),
        ],
        figures: `${figures}; the device got ${answers}; a look of others took ${calm} ms in calm, ${stormy} ms in the storm`,
      }
    } finally {
      await site.close()
    }
  },
}

/** How long a preview of a send takes somebody else, in the middle: milliseconds. */
async function medianOfSends(url: string, user: Client, ms = 2_000): Promise<number> {
  const other = client(url, user.id, user.token)
  const times: number[] = []
  for (const end = performance.now() + ms; performance.now() < end; await sleep(50)) {
    const begin = performance.now()
    const { status } = await other.call('POST', '/api/sms/preview', { recipients: ['+491511'], body: 'Hi' })
    if (status !== 200) throw new Error(`others are answered ${status}`)
    times.push(performance.now() - begin)
  }
  return Math.round(times.sort((a, b) => a - b)[times.length >> 1]!)
}

/** What the device tries, again and again; each must be answered with one of these. */
const TRICKS: readonly (readonly [
  name: string,
  path: string,
  body: (foreign: string) => unknown,
  statuses: number[],
])[] = [
  ['reports on the messages of others', 'report', (id) => ({ items: lies(id) }), [200]],
  ['a claim', 'claim', () => ({ limit: 100 }), [200]],
  ['texts from 1970', 'incoming', () => ({ items: texts() }), [200, 400]],
  ['10 MB', 'report', () => ({ items: [{ id: 'x'.repeat(10 << 20) }] }), [400, 413]],
  ['no JSON', 'claim', () => '{"limit":', [400]],
  ['a limit of a million', 'claim', () => ({ limit: 1e6, wait: 1e6 }), [400]],
  [
    'too many reports',
    'report',
    (id) => ({ items: Array.from({ length: 5_000 }, () => lies(id)[0]) }),
    [400, 413],
  ],
]

const lies = (id: string) =>
  Array.from({ length: 100 }, (_, i) => ({
    id,
    attempt: i % 3,
    status: ['sent', 'delivered', 'failed'][i % 3],
    at: '1970-01-01T00:00:01Z',
  }))

const texts = () =>
  Array.from({ length: 100 }, () => ({
    from: `+1${Math.floor(Math.random() * 1e9)}`,
    body: 'STOP',
    received_at: '1970-01-01T00:00:01Z',
  }))

/** Begins; the function returned ends it and says what came of it. */
function startStorm({ url }: Site, villain: Client, senders: Senders) {
  let isOver = false
  const answers = new Map<number, number>()
  const faults = new Set<string>()
  const flood = async (first: number) => {
    for (let turn = first; !isOver; turn++) {
      const [name, path, bodyOf, statuses] = TRICKS[turn % TRICKS.length]!
      const foreign = senders.acknowledged.at(-1)?.ids[0] ?? 'none'
      const status = await tryTrick(url, villain, path, bodyOf(foreign), (answer) => {
        if (/"applied"/.test(answer)) faults.add(`${name}: applied`)
        if (path === 'claim' && /"attempt"/.test(answer)) faults.add(`${name}: was given messages`)
      })
      answers.set(status, (answers.get(status) ?? 0) + 1)
      // 0: the connection was closed while we were still talking
      if (status !== 0 && !statuses.includes(status)) faults.add(`${name}: ${status}`)
    }
  }
  const floods = Array.from({ length: FLOODS }, (_, i) => flood(i))
  return async () => {
    isOver = true
    await Promise.all(floods)
    return {
      answers: [...answers].map(([status, times]) => `${times} x ${status}`).join(', '),
      faults: [...faults],
    }
  }
}

async function tryTrick(
  url: string,
  villain: Client,
  path: string,
  body: unknown,
  read: (text: string) => void,
) {
  const response = await fetch(`${url}/api/devices/${path}`, {
    method: 'POST',
    headers: { authorization: villain.token, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }).catch(() => undefined)
  if (!response) return 0
  read(await response.text().catch(() => ''))
  return response.status
}
