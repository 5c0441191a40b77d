import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/server/server-with-devices.ts'
import {
  joinPhone,
  makePhone,
  records,
  send,
  startSmsgateFixture,
  until,
} from '../../support/smsgate/smsgate-fixture.ts'
import { take, type WireMessage } from '../../support/smsgate/smsgate-sender.ts'

// The app's pulls and its sender race: each pull replaces the one before, and a text that comes in may start
// the sender anew while it is at another text, which then goes on air twice. What it is handed, and when,
// must not let that happen.

const fixture = await startSmsgateFixture()

type Range = readonly [from: number, to: number]

const between = ([from, to]: Range) => from + Math.random() * (to - from)
/** For a machine that does much else. */
const WITHIN_MS = 180_000
/** What went on air more than once. */
const repeated = (ids: readonly string[]) => ids.filter((id, i) => ids.indexOf(id) !== i)

const wire = (more: Partial<WireMessage>): WireMessage[] =>
  ['a', 'b', 'c', 'd', 'e'].map((id) => ({
    id,
    textMessage: { text: 'Hi' },
    phoneNumbers: ['+49'],
    ...more,
  }))
const onAir = async (version: string, messages: readonly WireMessage[]) => {
  const phone = makePhone(fixture, {
    version,
    // long enough for a busy machine
    callMs: () => 200,
    insertMs: () => 25,
    workMs: () => 2,
  })
  phone.isOn = true
  phone.store.write({ kind: 'settings', settings: { messages: { processing_order: 'FIFO' } } })
  const ids = () => phone.store.onAir().map(({ id }) => id)
  for (const message of messages) await take(phone, message)
  await until(() => [...phone.store.messages.values()].every(({ state }) => state !== 'Pending'))
  // first in, first out: then all before it is over
  await take(phone, { ...messages[0]!, id: 'last' })
  await until(() => ids().includes('last'))
  phone.kill()
  return ids()
}
const scheduleAt = '2000-01-01T00:00:00.000Z'

test.each([
  ['1.68.0', {}],
  ['1.68.0', { scheduleAt, priority: 100 }],
  ['1.70.4', {}],
  ['1.70.4', { scheduleAt, priority: 99 }],
  ['1.74.1', { scheduleAt, priority: 99 }],
  ['1.75.0', { scheduleAt, priority: 99 }],
])('the simulated app %s sends texts with %j twice', async (version, more) => {
  expect(repeated(await onAir(version, wire(more))).length).toBeGreaterThan(0)
})

test.each([
  ['1.68.0', { scheduleAt, priority: 99 }],
  ['1.74.1', { priority: 99 }],
  ['1.75.0', { priority: 99 }],
])('the simulated app %s sends texts with %j once', async (version, more) => {
  expect(repeated(await onAir(version, wire(more)))).toHaveLength(0)
})

/** Times in ms: of a call, of writing a text down, until work begins, between texts. */
const MANNERS: Readonly<
  Record<string, Readonly<Record<'call' | 'insert' | 'work' | 'pause', Range>>>
> = {
  'is quick': { call: [6, 12], insert: [0, 2], work: [0, 10], pause: [0, 0] },
  'has a slow work manager': { call: [8, 30], insert: [0, 4], work: [20, 100], pause: [0, 0] },
  'has slow flash': { call: [40, 60], insert: [5, 20], work: [0, 20], pause: [0, 0] },
  pauses: { call: [8, 30], insert: [0, 4], work: [0, 10], pause: [0, 60] },
  'has a slow radio': { call: [50, 150], insert: [0, 4], work: [0, 10], pause: [0, 0] },
}

test.each([
  ['1.68.0', 30],
  // it gets one at a time
  ['1.70.4', 14],
  ['1.74.1', 30],
  ['1.75.0', 30],
])(
  'fast and slow phones with app %s transmit each of %i texts once, over a line that breaks and with constant pulls',
  async (version, texts) => {
    const user = await fixture.gateway.makeUser()
    const phones = await Promise.all(
      Object.entries(MANNERS).map(async ([manner, { call, insert, work, pause }]) => {
        const phone = await joinPhone(fixture, user, {
          version,
          callMs: () => between(call),
          insertMs: () => between(insert),
          workMs: () => between(work),
          sendMs: () => between(pause),
        })
        return { manner, phone }
      }),
    )
    for (const { phone } of phones) phone.start()
    fixture.breakLine(0.05)
    const wakes = setInterval(() => {
      // seldom during a pull: on a busy machine none would end
      for (const { phone } of phones)
        if (Math.random() < (phone.isPulling ? 0.03 : 0.3)) phone.wake()
    }, 100)
    try {
      await Promise.all(
        phones.map(({ phone }) => sendInParts(user, phone.store.registration!.id, texts)),
      )
      // no list while the server is too busy to answer
      const isOver = async () => (await records(user, 'status != "delivered"'))?.length === 0
      await until(isOver, WITHIN_MS)
    } finally {
      clearInterval(wakes)
      fixture.breakLine(0)
      for (const { phone } of phones) phone.kill()
    }
    const outcome = phones.map(({ manner, phone }) => {
      const ids = phone.store.onAir().map(({ id }) => id)
      return { manner, repeated: repeated(ids), count: ids.length, faults: phone.faults }
    })
    expect(outcome).toEqual(
      phones.map(({ manner }) => ({ manner, repeated: [], count: texts, faults: [] })),
    )
  },
  2 * WITHIN_MS,
)

/** Texts for a phone: many, and then ten now and then. */
async function sendInParts(user: Client, device_id: string, count: number): Promise<void> {
  await send(user, count - 10, { device_id })
  for (let i = 0; i < 5; i++) {
    await sleep(between([0, 120]))
    await send(user, 2, { device_id, priority: Math.random() < 0.3 ? 127 : 0 })
  }
}
