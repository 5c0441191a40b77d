import { setImmediate } from 'node:timers/promises'
import { makeAccountSender } from '../../../../src/gateway/base/make-sender.ts'
import { rescheduleBatch } from '../../../../src/gateway/messages/queue/reschedule-batch.ts'
import { sweepQueue } from '../../../../src/gateway/messages/queue/sweep-queue.ts'
import { startServerWithUsers } from '../../../support/server/server-with-users.ts'

// What is changed while time, or somebody else, is at it: one of the two is first, and nothing is half done.

const COUNT = 20
const ROUNDS = 3
const ONLINE_SECONDS = 600

const server = await startServerWithUsers({ DATABASE_POOL: '16' })

const LATER = '2098-01-01 00:00:00.000Z'
const LAST = '2099-01-01 00:00:00.000Z'
const used = async () => (await server.ask('GET', 'usage')).body.used
const schedule = async (count: number) => {
  const recipients = Array.from({ length: count }, (_, i) => `+4977${i + 10_000}`)
  const { body } = await server.send({ recipients, scheduled_at: LATER, body: 'old' })
  return body as { batch_id: string; message_ids: string[] }
}
const change = (id: string, body: object) => server.ask('PATCH', `messages/${id}`, body)
const cancel = (id: string) => server.ask('POST', `messages/${id}/cancel`)
/** One after the other becomes due within a quarter of a second. */
const makeDue = (ids: readonly string[]) =>
  server.rows(
    `update sms_dispatch set due_at = now() + random() * interval '250 milliseconds' where message = any($1)`,
    [ids],
  )
/** Looks again and again until `work` is done. */
async function sweeping<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const look = async () => {
    while (!isOver) {
      await sweepQueue(server.store, ONLINE_SECONDS)
      await setImmediate()
    }
  }
  const looks = [look(), look()]
  try {
    return await work
  } finally {
    isOver = true
    await Promise.all(looks)
  }
}
/** What is stored of a message, in both tables. */
const stateOf = async (id: string) => {
  const rows = await server.rows(
    `select m.status, m.body, m.scheduled_at, m.device <> '', d.state, pb_text(d.due_at), d.device <> ''
    from sms_messages m left join sms_dispatch d on d.message = m.id where m.id = $1`,
    [id],
  )
  return rows[0]
}

test('a message rescheduled while it becomes due waits for the new time, or is sent and the change refused', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { message_ids } = await schedule(COUNT)
    await makeDue(message_ids)
    const work = Promise.all(
      message_ids.map((id) => change(id, { scheduled_at: LAST, body: 'new' })),
    )
    const answers = await sweeping(work)
    for (const [i, id] of message_ids.entries()) {
      const { status, body } = answers[i]!
      if (status === 200) {
        expect(body).toMatchObject({ status: 'pending', scheduled_at: LAST })
        const [message, text, time, hasDevice, state, queuedFor, hasQueueDevice] = (await stateOf(
          id,
        ))!
        expect([message, text, time, hasDevice]).toEqual(['pending', 'new', LAST, false])
        expect([state, queuedFor, hasQueueDevice]).toEqual(['pending', LAST, false])
      } else {
        expect([status, body.error]).toEqual([409, 'not_changeable'])
        expect((await stateOf(id))!.slice(0, 5)).toEqual([
          'assigned',
          'old',
          LATER,
          true,
          'assigned',
        ])
      }
    }
    await server.rows('delete from sms_dispatch where message = any($1)', [message_ids])
  }
})

test('a text changed while its message becomes due: the device gets the last accepted text', async () => {
  const { message_ids } = await schedule(COUNT)
  await makeDue(message_ids)
  const work = Promise.all(message_ids.map((id) => change(id, { body: 'new' })))
  const answers = await sweeping(work)
  await sweepQueue(server.store, ONLINE_SECONDS)
  const left = `select 1 from sms_dispatch where state = 'pending' and message = any($1)`
  await expect.poll(() => server.rows(left, [message_ids])).toEqual([])
  for (const [i, id] of message_ids.entries()) {
    const changed = answers[i]!.status === 200
    expect([200, 409]).toContain(answers[i]!.status)
    expect((await stateOf(id))!.slice(0, 2)).toEqual(['assigned', changed ? 'new' : 'old'])
  }
  await server.rows('delete from sms_dispatch where message = any($1)', [message_ids])
})

test('a message changed and canceled at once is canceled, and its quota refunded once', async () => {
  const before = await used()
  const { message_ids } = await schedule(COUNT)
  const answers = await Promise.all(
    message_ids.flatMap((id) => [
      change(id, { scheduled_at: LAST }),
      cancel(id),
      change(id, { body: 'new' }),
    ]),
  )
  for (const [i, id] of message_ids.entries()) {
    const [time, canceled, text] = answers.slice(i * 3, i * 3 + 3).map(({ status }) => status)
    expect(canceled).toBe(200)
    const [status, body, scheduled] = (await stateOf(id))!
    expect([status, body, scheduled]).toEqual([
      'failed',
      text === 200 ? 'new' : 'old',
      time === 200 ? LAST : LATER,
    ])
    expect(await server.rows('select 1 from sms_dispatch where message = $1', [id])).toEqual([])
  }
  expect(await used()).toBe(before)
})

test('concurrent changes of different fields are all stored', async () => {
  const { message_ids } = await schedule(COUNT)
  const answers = await Promise.all(
    message_ids.flatMap((id) => [
      change(id, { scheduled_at: LAST }),
      change(id, { body: 'new' }),
      change(id, { priority: 5 }),
      change(id, { expires_at: '2099-06-01' }),
    ]),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(COUNT * 4).fill(200))
  for (const id of message_ids) {
    const kept = {
      scheduled_at: LAST,
      body: 'new',
      priority: 5,
      expires_at: '2099-06-01 00:00:00.000Z',
    }
    expect(await server.message(id)).toMatchObject({ ...kept, status: 'pending' })
    const queued = await server.rows(
      'select pb_text(due_at), priority, pb_text(expires_at) from sms_dispatch where message = $1',
      [id],
    )
    expect(queued).toEqual([[LAST, 5, kept.expires_at]])
    const events = await server.rows('select detail from sms_events where message = $1', [id])
    expect(events.flat().sort()).toEqual(
      ['expiry', 'priority', 'text', 'time'].map((what) => `Changed: ${what}`),
    )
  }
})

test('a batch rescheduled while it becomes due loses no message', async () => {
  const change = {
    scheduledAt: LAST,
    expiresAt: null,
    ttl: null,
    body: null,
    segments: null,
    priority: null,
  }
  for (let round = 0; round < ROUNDS; round++) {
    const { batch_id, message_ids } = await schedule(COUNT)
    await makeDue(message_ids)
    const user = String((await server.message(message_ids[0]!)).user)
    const answer = await sweeping(
      rescheduleBatch(server.store, makeAccountSender(user, user), batch_id, change),
    )
    const left = `select 1 from sms_dispatch where message = any($1) and state = 'pending' and due_at <= now()`
    await expect.poll(() => server.rows(left, [message_ids])).toEqual([])
    const states = await Promise.all(message_ids.map(stateOf))
    const waiting = states.filter((state) => state![0] === 'pending')
    expect(waiting.length).toBe(answer.rescheduled)
    for (const state of waiting)
      expect(state).toEqual(['pending', 'old', LAST, false, 'pending', LAST, false])
    for (const state of states.filter((one) => !waiting.includes(one)))
      expect(state!.slice(0, 5)).toEqual(['assigned', 'old', LATER, true, 'assigned'])
    await server.rows('delete from sms_dispatch where message = any($1)', [message_ids])
  }
})
