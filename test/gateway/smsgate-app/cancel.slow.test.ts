import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import type { Client } from '../../support/server/server-with-devices.ts'
import type { Phone } from '../../support/smsgate/smsgate-app.ts'
import {
  joinPhone,
  records,
  send,
  startSmsgateFixture,
  until,
} from '../../support/smsgate/smsgate-fixture.ts'
import { openEvents, PULL } from '../../support/smsgate/smsgate-stream.ts'

// A text that a phone has and is not to send any more: each pull says so until the phone has answered.

let user: Client
const fixture = await startSmsgateFixture()

beforeEach(async () => {
  user = await fixture.gateway.makeUser()
})

const remove = async (id: string) => {
  const { status } = await user.call('DELETE', `/api/collections/sms_messages/records/${id}`)
  expect(status).toBe(204)
}
const pull = async (phone: Phone) => (await phone.call('GET', '/message')).body
const say = async (phone: Phone, id: string, state: string) => {
  const body = [{ id, state, recipients: [], states: {} }]
  expect((await phone.call('PATCH', '/message', body)).status).toBe(204)
}
const toCancel = (id: string) => ({ id: `${id}.1`, phoneNumbers: [], state: 'Cancelling' })

/** An app that is in the pause after its first text and has a second one. Its id, and what ends the pause. */
async function withOneThatWaits() {
  const held = Promise.withResolvers<number>()
  const phone = await joinPhone(fixture, user, { sendMs: () => held.promise })
  phone.start()
  await send(user, 2)
  await until(() => phone.store.onAir().length === 1 && phone.store.messages.size === 2)
  const [first] = phone.store.onAir()
  const [second] = [...phone.store.messages.keys()].filter((id) => id !== first!.id)
  return { phone, wireId: second!, id: second!.split('.')[0]!, release: () => held.resolve(1) }
}

describe('an app with a text that is deleted', () => {
  test('an app with a text that is deleted does not send it and continues with the next text', async () => {
    const { phone, wireId, id, release } = await withOneThatWaits()
    await remove(id)
    await until(() => phone.store.messages.get(wireId)?.state === 'Cancelled')
    release()
    const [next] = await send(user, 1, { body: 'Next' })
    await until(async () => (await records(user, `id = "${next}"`))[0].status === 'delivered')
    phone.kill()
    expect(phone.store.onAir().map(({ text }) => text)).toEqual(['Hello', 'Next'])
    expect([phone.isDeaf, phone.faults]).toEqual([false, []])
  })

  test('an app with a text that is deleted does not send it even if its event stream is down at the time', async () => {
    const { phone, wireId, id, release } = await withOneThatWaits()
    phone.cutStream(1_000)
    await remove(id)
    expect(phone.store.messages.get(wireId)?.state).toBe('Pending')
    await until(() => phone.store.messages.get(wireId)?.state === 'Cancelled')
    release()
    await until(() => phone.store.owed.size === 0)
    expect(await pull(phone)).toEqual([])
    phone.kill()
    expect(phone.store.onAir()).toHaveLength(1)
  })
})

describe('a deleted text that a phone has pulled', () => {
  test('a deleted text that a phone has pulled is listed as canceled in each pull until the phone confirms, and is not sent', async () => {
    const phone = await joinPhone(fixture, user)
    const ids = await send(user, 3)
    await pull(phone)
    await remove(ids[1]!)
    for (let i = 0; i < 2; i++) expect((await pull(phone))[0]).toEqual(toCancel(ids[1]!))
    await say(phone, `${ids[1]}.1`, 'Cancelled')
    expect((await pull(phone)).map(({ id }: { id: string }) => id)).toEqual([
      `${ids[0]}.1`,
      `${ids[2]}.1`,
    ])
  })

  test('a deleted text that a phone has pulled makes the server send the phone pull requests only', async () => {
    const phone = await joinPhone(fixture, user)
    const [id] = await send(user, 1)
    const events = await openEvents(phone)
    await until(() => events.frames.includes(PULL))
    expect(await pull(phone)).toHaveLength(1)
    events.frames.length = 0
    await remove(id!)
    await until(() => events.frames.includes(PULL), 3_000)
    expect(await pull(phone)).toEqual([toCancel(id!)])
    await say(phone, `${id}.1`, 'Cancelled')
    expect(await pull(phone)).toEqual([])
    expect(events.frames.filter((frame) => frame !== PULL && !frame.startsWith(':'))).toEqual([])
    await events.close()
  })

  test.each(['Processed', 'Sent', 'Delivered', 'Failed'])(
    'a deleted text that a phone has pulled is not listed if the phone reported it as %s before',
    async (state) => {
      const phone = await joinPhone(fixture, user)
      const [id] = await send(user, 1)
      await pull(phone)
      await say(phone, `${id}.1`, state)
      await remove(id!)
      expect(await pull(phone)).toEqual([])
    },
  )

  test('a deleted text that a phone has pulled is dropped from the list once the phone would no longer send it', async () => {
    const phone = await joinPhone(fixture, user)
    const [id] = await send(user, 1)
    await pull(phone)
    await remove(id!)
    const { db } = fixture.gateway.server.services.store
    await db.query(`update smsgate_texts set valid_until = now() where message = $1`, [id])
    expect(await pull(phone)).toEqual([])
    expect((await db.query('select from smsgate_texts where message = $1', [id])).rows).toEqual([])
  })

  test('a deleted text that a phone has pulled is listed for its own phone only, even a disabled one', async () => {
    const phone = await joinPhone(fixture, user)
    const [id] = await send(user, 1, { device_id: phone.store.registration!.id })
    const other = await joinPhone(fixture, user)
    const stranger = await joinPhone(fixture, await fixture.gateway.makeUser())
    await pull(phone)
    const path = `/api/collections/devices/records/${phone.store.registration!.id}`
    await user.call('PATCH', path, { enabled: false })
    await remove(id!)
    await say(stranger, `${id}.1`, 'Cancelled')
    await say(other, `${id}.1`, 'Cancelled')
    expect(await pull(stranger)).toEqual([])
    expect(await pull(other)).toEqual([])
    expect(await pull(phone)).toEqual([toCancel(id!)])
  })

  test('a deleted text that a phone has pulled leaves no row when its phone is deleted', async () => {
    const phone = await joinPhone(fixture, user)
    const { id } = phone.store.registration!
    await send(user, 1)
    await pull(phone)
    await user.call('DELETE', `/api/collections/devices/records/${id}`)
    const { db } = fixture.gateway.server.services.store
    expect((await db.query('select from smsgate_texts where device = $1', [id])).rows).toEqual([])
  })
})

describe('a text that a phone has pulled', () => {
  const TO = '+4915112345678'
  const cancel = async (id: string) => {
    const path = `/api/sms/messages/${id}/cancel`
    expect((await user.call('POST', path)).body.error).toBe('not_cancelable')
  }
  const sayStop = async () => {
    const other = await fixture.gateway.pair(user)
    await fixture.gateway.hear(other, [[TO, 'STOP']])
  }
  const erase = async () => {
    const asked = { number: TO, reason: 'She asked for it' }
    expect((await user.call('POST', '/api/person/erase', asked)).status).toBe(200)
    await until(
      async () => (await records(user, `to = "${TO}" && status != "failed"`)).length === 0,
    )
  }

  test.each<[what: string, end: (id: string) => Promise<void>, error: string]>([
    ['its sender wants to cancel it', cancel, 'Canceled'],
    ['its person has written STOP', sayStop, 'Recipient has opted out'],
    ['its person is erased', erase, ''],
  ])(
    'a text that a phone has pulled is listed as canceled after %s, and costs nothing',
    async (_, end, error) => {
      const phone = await joinPhone(fixture, user)
      const [id] = await send(user, 1, { recipients: [TO] })
      await pull(phone)
      await end(id!)
      expect(await pull(phone)).toEqual([toCancel(id!)])
      await say(phone, `${id}.1`, 'Cancelled')
      expect(await pull(phone)).toEqual([])
      if (error === '') return
      expect(await records(user, `id = "${id}"`)).toMatchObject([
        { status: 'failed', error_message: error },
      ])
      expect((await user.call('GET', '/api/sms/usage')).body.used).toBe(0)
    },
  )

  test('a text that a phone has pulled is sent if the phone was faster than the cancellation', async () => {
    const phone = await joinPhone(fixture, user)
    const [id] = await send(user, 1, { recipients: [TO] })
    await pull(phone)
    await sayStop()
    await say(phone, `${id}.1`, 'Sent')
    expect(await records(user, `id = "${id}"`)).toMatchObject([{ status: 'sent' }])
  })
})

test('a text that is changed before the pull leaves with the new words, one that is pulled with the old', async () => {
  const phone = await joinPhone(fixture, user)
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const [id] = await send(user, 1, { body: 'First', scheduled_at: later })
  const change = async (body: string) =>
    (await user.call('PATCH', `/api/sms/messages/${id}`, { body })).status
  expect(await change('Second')).toBe(200)
  expect(await pull(phone)).toEqual([])
  const { store } = fixture.gateway.server.services
  await store.db.query('update sms_dispatch set due_at = now() where message = $1', [id])
  await until(async () => {
    await sweepQueue(store, 600)
    return (await records(user, `id = "${id}"`))[0].status === 'assigned'
  })
  const pulled = async () =>
    (await pull(phone)).map((item: { textMessage: { text: string } }) => item.textMessage.text)
  expect(await pulled()).toEqual(['Second'])
  expect(await change('Third')).toBe(409)
  expect(await pulled()).toEqual(['Second'])
  phone.start()
  await until(async () => (await records(user, `id = "${id}"`))[0].status === 'delivered')
  phone.kill()
  expect(phone.store.onAir().map(({ text }) => text)).toEqual(['Second'])
  expect(await records(user, `id = "${id}"`)).toMatchObject([{ body: 'Second' }])
})

test('a text moved to a new attempt is not sent by the phone that holds the old one', async () => {
  const phone = await joinPhone(fixture, user)
  const [id] = await send(user, 1, { guarantee: 'at_least_once' })
  await pull(phone)
  const { db } = fixture.gateway.server.services.store
  await db.query(
    `update sms_dispatch set lease_until = now() - interval '1 second' where message = $1`,
    [id],
  )
  await until(() => sweepQueue(fixture.gateway.server.services.store, 600))
  await until(async () => (await records(user, 'status = "assigned"')).length === 1)
  expect((await pull(phone))[0]).toEqual(toCancel(id!))
})
