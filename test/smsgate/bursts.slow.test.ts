import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/server/server-with-devices.ts'
import {
  joinPhone,
  makePhone,
  records,
  send,
  startSmsgateFixture,
  until,
} from '../support/smsgate/smsgate-fixture.ts'
import { take, type WireMessage } from '../support/smsgate/smsgate-sender.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

// The app's pulls and its sender race: each pull replaces the one before, and a text that comes in may start
// the sender anew while it is at another text, which then goes on air twice. What it is handed, and when,
// must not let that happen.

let user: Client
const fixture = stopAfterAll(await startSmsgateFixture())

beforeEach(async () => {
  user = await fixture.gateway.makeUser()
})

type Range = readonly [from: number, to: number]

const between = ([from, to]: Range) => from + Math.random() * (to - from)
/** For a machine that does much else. */
const WITHIN_MS = 90_000
/** What went on air more than once. */
const repeated = (ids: readonly string[]) => ids.filter((id, i) => ids.indexOf(id) !== i)

describe('the simulated app', () => {
  const wire = (more: Partial<WireMessage>): WireMessage[] =>
    Array.from({ length: 5 }, (_, i) => ({
      id: `m${i}`,
      textMessage: { text: 'Hi' },
      phoneNumbers: ['+49'],
      ...more,
    }))
  const onAir = async (messages: readonly WireMessage[]) => {
    const phone = makePhone(fixture, { callMs: () => 60, insertMs: () => 25, workMs: () => 2 })
    phone.isOn = true
    phone.store.write({ kind: 'settings', settings: { messages: { processing_order: 'FIFO' } } })
    for (const message of messages) await take(phone, message)
    await until(() => [...phone.store.messages.values()].every(({ state }) => state !== 'Pending'))
    await sleep(200)
    phone.kill()
    return phone.store.onAir().map(({ id }) => id)
  }
  const scheduleAt = '2000-01-01T00:00:00.000Z'

  test('sends twice what is handed to it as the server once did', async () => {
    expect(repeated(await onAir(wire({})))).not.toEqual([])
  })

  test('and expedited texts', async () => {
    expect(repeated(await onAir(wire({ scheduleAt, priority: 100 })))).not.toEqual([])
  })

  test('and not what has an instant that is over', async () => {
    expect(repeated(await onAir(wire({ scheduleAt, priority: 99 })))).toEqual([])
  })
})

describe.each([
  ['that is quick', { callMs: [6, 12], insertMs: [0, 2], workMs: [0, 10], pauseMs: [0, 0] }],
  ['whose work manager is slow', { callMs: [8, 30], insertMs: [0, 4], workMs: [20, 100], pauseMs: [0, 0] }],
  ['whose flash is slow', { callMs: [40, 60], insertMs: [5, 20], workMs: [0, 20], pauseMs: [0, 0] }],
  ['that pauses', { callMs: [8, 30], insertMs: [0, 4], workMs: [0, 10], pauseMs: [0, 60] }],
  ['whose radio is slow', { callMs: [50, 150], insertMs: [0, 4], workMs: [0, 10], pauseMs: [0, 0] }],
] as const)('60 texts and pulls without end, by a phone %s', (_, { callMs, insertMs, workMs, pauseMs }) => {
  test.each([
    ['and a good line', 0],
    ['and a line that breaks', 0.05],
  ])(
    '%s: each is on air once',
    async (__, losses) => {
      const phones = await Promise.all(
        Array.from({ length: 4 }, () =>
          joinPhone(fixture, user, {
            callMs: () => between(callMs),
            insertMs: () => between(insertMs),
            workMs: () => between(workMs),
            sendMs: () => between(pauseMs),
          }),
        ),
      )
      for (const phone of phones) phone.start()
      fixture.breakLine(losses)
      const wakes = setInterval(() => {
        for (const phone of phones) if (Math.random() < 0.3) phone.wake()
      }, 100)
      try {
        for (const phone of phones) await sendInParts(phone.store.registration!.id)
        const isOver = async () => (await records(user, 'status != "delivered"')).length === 0
        await until(isOver, WITHIN_MS)
      } finally {
        clearInterval(wakes)
        fixture.breakLine(0)
        for (const phone of phones) phone.kill()
      }
      for (const phone of phones) {
        const ids = phone.store.onAir().map(({ id }) => id)
        expect(repeated(ids)).toEqual([])
        expect(ids).toHaveLength(60)
        expect(phone.faults).toEqual([])
      }
    },
    2 * WITHIN_MS,
  )

  /** 60 texts for a phone: many, and then a few now and then. */
  async function sendInParts(device_id: string): Promise<void> {
    await send(user, 40, { device_id })
    for (let i = 0; i < 10; i++) {
      await sleep(between([0, 120]))
      await send(user, 2, { device_id, priority: Math.random() < 0.3 ? 127 : 0 })
    }
  }
})
