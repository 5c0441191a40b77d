import { createECDH, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/database/postgres.ts'
import { receive } from '../hostile/receivers.ts'
import type { Attack, AttackRun, Target } from './attack.ts'
import { asUser, byGuest, byUser, createRecords, must } from './attack.ts'
import { flood } from './sockets.ts'

// Devices that do not behave, guessers of pairing codes, and texts that are answered automatically.

const withDevice = asUser(async (user, target) => {
  const device = await target.addDevice(user)
  return { device: device.token }
})

/** As many as an account may have. */
const DEVICES = 100
const withPushedDevices = asUser(async (user, target) => {
  const port = await freePort()
  for (let i = 0; i < DEVICES; i++) {
    const device = await target.addDevice(user)
    const keys = {
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
    }
    await must(device, 'PUT', '/api/devices/push', {
      endpoint: `http://127.0.0.1:${port}/${i}`,
      keys,
    })
  }
  return { port: String(port) }
})

const asDevice = (
  run: AttackRun,
  connections: number,
  path: string,
  bodyOf: (turn: number) => unknown,
) =>
  flood(run, connections, (turn) => ({
    path: `/api/devices/${path}`,
    token: run.prepared.device!,
    body: JSON.stringify(bodyOf(turn)),
  }))

/** As many as a report may have. */
const reports = (turn: number) =>
  Array.from({ length: 100 }, (_, i) => ({
    id: `nothing${turn}x${i}`,
    attempt: i % 3,
    status: 'sent',
  }))

const OTHERS = 100
const NOT_YOURS = 'Of another user'

/** Messages of another user: one half is with a phone, the other waits for it. */
const withMessagesOfOthers = asUser(async (user, target) => {
  const [device, other] = [await target.addDevice(user), await target.makeUser()]
  const phone = await target.addDevice(other)
  const recipients = Array.from({ length: 2 * OTHERS }, (_, i) => `+4915${1e7 + i}`)
  const sent = await must(other, 'POST', '/api/sms/send', { recipients, body: NOT_YOURS })
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: OTHERS })
  if (items.length !== OTHERS) throw new Error(`claimed ${items.length}`)
  return { device: device.token, ids: sent.message_ids.join() }
})

/** Throws unless half of those messages are still with their phone, and the others still wait for it. */
async function findUntouched({ root }: Target): Promise<string> {
  const count = async (status: string) => {
    const filter = encodeURIComponent(`body = "${NOT_YOURS}" && status ~ "${status}"`)
    return (await must(root, 'GET', `/api/collections/sms_messages/records?filter=${filter}`))
      .totalItems
  }
  const [all, sending, assigned] = [
    await count(''),
    await count('sending'),
    await count('assigned'),
  ]
  const told = `of ${all} messages of others ${sending} are with their phone, ${assigned} wait`
  if (all === 0 || 2 * sending !== all || 2 * assigned !== all) throw new Error(told)
  return told
}

const ANSWERS = '/api/collections/auto_answers/records'
/** As many keywords as a field holds, none of which is in a text. */
const keywords = (i: number) => Array.from({ length: 25 }, (_, n) => `é${i}x${n}`).join(',')
const MAX_WAIT_MS = 10_000

/** A user with many answers, of which the last is for any text. */
const withAnswers = asUser(async (user, target) => {
  const device = await target.addDevice(user)
  const own = { user: user.id, enabled: true, body: 'We are closed' }
  await createRecords(target, 'auto_answers', 49, (i) => ({
    ...own,
    match: 'contains',
    value: keywords(i),
  }))
  await must(user, 'POST', ANSWERS, { ...own, match: 'any' })
  return { device: device.token }
})

/** How long somebody else's text waits for its automatic answer, while the attacker's texts wait, too. */
async function timeAnswer(target: Target): Promise<string> {
  const user = await target.makeUser()
  const device = await target.addDevice(user)
  await must(user, 'POST', ANSWERS, { user: user.id, enabled: true, match: 'any', body: 'Hello' })
  const text = {
    from: '+4915112345678',
    body: 'Are you open?',
    received_at: new Date().toISOString(),
  }
  await must(device, 'POST', '/api/devices/incoming', { items: [text] })
  const filter = encodeURIComponent('message_type = "outgoing"')
  for (const begin = performance.now(); performance.now() - begin < MAX_WAIT_MS; await sleep(100)) {
    const sent = await must(user, 'GET', `/api/collections/sms_messages/records?filter=${filter}`)
    if (sent.items.length > 0)
      return `an answer of somebody else took ${Math.round(performance.now() - begin)} ms`
  }
  throw new Error(`an answer of somebody else took more than ${MAX_WAIT_MS} ms`)
}

export const devices: readonly Attack[] = [
  byGuest('pairing codes that are guessed', (run) =>
    flood(run, 32, (turn) => ({
      path: '/api/devices/pair',
      body: JSON.stringify({ code: String(turn % 1e6).padStart(6, '0'), platform: 'other' }),
    })),
  ),
  byGuest('nonsense for the phone app routes', (run) =>
    flood(run, 16, (turn) => ({
      path: `/api/mobile/v1/${['device', 'message', `incoming/${turn}`][turn % 3]}`,
      headers: { authorization: `Bearer ${'a'.repeat(turn % 5_000)}` },
      body: JSON.stringify({ id: 'a'.repeat(10_000), payload: [turn] }),
    })),
  ),
  byUser('claims that wait', { prepare: withDevice }, (run) =>
    // some end within the attack: without any answer it would count as one that did nothing
    asDevice(run, 1_000, 'claim', (turn) => ({ limit: 100, wait: turn % 2 ? 30 : 3 })),
  ),
  byUser('reports about nothing', { prepare: withDevice }, (run) =>
    asDevice(run, 16, 'report', (turn) => ({ items: reports(turn) })),
  ),
  byUser(
    'reports on messages of others, and claims',
    { prepare: withMessagesOfOthers, inspect: findUntouched },
    (run) => {
      const ids = run.prepared.ids!.split(',')
      const lies = (turn: number) =>
        ids.slice((turn % 2) * OTHERS, (1 + (turn % 2)) * OTHERS).map((id, i) => ({
          id,
          attempt: (turn + i) % 3,
          status: ['sent', 'delivered', 'failed'][i % 3],
          at: '1970-01-01T00:00:01Z',
        }))
      const paths = ['claim', 'report', 'report'] as const
      return flood(run, 8, (turn) => ({
        path: `/api/devices/${paths[turn % 3]}`,
        token: run.prepared.device!,
        body: JSON.stringify(turn % 3 === 0 ? { limit: 100 } : { items: lies(turn) }),
      }))
    },
  ),
  byUser('heartbeats with large SIM lists', { prepare: withDevice }, (run) =>
    asDevice(run, 16, 'heartbeat', (turn) => ({
      battery: turn % 100,
      sims: Array.from({ length: 8 }, () => ({ name: 'x'.repeat(20_000) })),
    })),
  ),
  byUser('long texts that come in', { prepare: withDevice }, (run) =>
    asDevice(run, 4, 'incoming', (turn) => ({
      items: Array.from({ length: 20 }, (_, i) => ({
        from: `+4915${1e7 + turn * 20 + i}`,
        body: 'é'.repeat(15_000),
        received_at: '2026-01-01T00:00:00Z',
      })),
    })),
  ),
  byUser('100 devices with slow push services', { prepare: withPushedDevices }, (run) => {
    receive(run, () => {})
    const body = JSON.stringify({
      recipients: Array.from({ length: 300 }, (_, i) => `+4915${1e7 + i}`),
      body: 'Hi',
    })
    return flood(run, 2, () => ({ path: '/api/sms/send', body }))
  }),
  byUser(
    'texts with automatic answers',
    { isShort: true, prepare: withAnswers, inspect: timeAnswer },
    (run) =>
      flood(run, 4, (turn) => ({
        path: '/api/devices/incoming',
        token: run.prepared.device!,
        body: JSON.stringify({
          items: Array.from({ length: 50 }, (_, i) => ({
            from: `+4915${1e7 + turn * 50 + i}`,
            body: 'ÉÈ'.repeat(750),
            received_at: new Date().toISOString(),
          })),
        }),
      })),
  ),
  byUser('automatic answers of many keywords, written anew', { prepare: withAnswers }, (run) =>
    flood(run, 8, (turn) => {
      const match = ['words', 'first_word', 'contains'][turn % 3]
      return {
        path: ANSWERS,
        body: JSON.stringify({
          user: run.prepared.id,
          enabled: true,
          match,
          value: keywords(turn),
          body: 'a',
        }),
      }
    }),
  ),
]
