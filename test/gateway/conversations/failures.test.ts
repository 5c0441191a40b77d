import { FORGET_CONSENTS } from '../../support/database/forget-consents.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// What a conversation says of a text that failed.

const ZOE = '+4915112345678'
const records = (name: string) => `/api/collections/${name}/records`

const server = await startServerWithDevices()
const user = await server.makeUser()
const phone = await server.pair(user)

beforeEach(async () => {
  for (const table of [
    'conversations',
    'sms_dispatch',
    'sms_messages',
    'contacts',
    'auto_answers',
    'hooks',
  ])
    await server.query(`delete from ${table}`)
  await server.query(FORGET_CONSENTS)
})

const hear = (body: string) => server.hear(phone, [[ZOE, body]])
const send = async (more: object = {}): Promise<string> =>
  (await must(user, 'POST', '/api/sms/send', { recipients: [ZOE], body: 'Yes', ...more }))
    .message_ids[0]
const act = (id: string, action: string, body?: object) =>
  must(user, 'POST', `/api/sms/messages/${id}/${action}`, body)
const claim = async (by = phone): Promise<{ id: string; attempt: number; body: string }[]> =>
  (await must(by, 'POST', '/api/devices/claim', { limit: 10 })).items
const report = async (id: string, status: string, error_message?: string) => {
  const items = [{ id, attempt: 1, status, error_message }]
  expect((await must(phone, 'POST', '/api/devices/report', { items })).items[0].result).toBe(
    'applied',
  )
}
/** The phone takes what waits, and cannot send this text. */
const fail = async (id: string) => {
  await claim()
  await report(id, 'failed', 'No signal')
}
const conversation = async () => (await must(user, 'GET', records('conversations'))).items[0]
const change = async (values: object) =>
  must(user, 'PATCH', `${records('conversations')}/${(await conversation()).id}`, values)
const counts = () => must(user, 'GET', '/api/account/inbox')

const FAILED = { failure: 'Not sent: No signal', unanswered: true, archived: false }

describe('a text that failed', () => {
  test('a text that failed is told by its conversation, which leaves the archive and waits again', async () => {
    await hear('Is there parking?')
    const id = await send()
    await change({ archived: true, unread: 0 })
    expect(await conversation()).toMatchObject({ failure: '', unanswered: false, archived: true })
    await fail(id)
    expect(await conversation()).toMatchObject({
      ...FAILED,
      last_text: 'Yes',
      last_message: id,
      unread: 0,
    })
    expect(await conversation()).not.toHaveProperty('asked_at')
    expect(await counts()).toMatchObject({ failed: 1, waiting: 1, unread: 0 })
  })

  test('a failed text does not make a person wait who has not asked', async () => {
    await hear('Hello')
    await send()
    await report((await claim())[0]!.id, 'sent')
    await fail(await send({ body: 'By the way' }))
    expect(await conversation()).toMatchObject({
      failure: 'Not sent: No signal',
      unanswered: false,
    })
  })

  test('a text that failed is told after later texts that are on their way', async () => {
    await hear('Is there parking?')
    const first = await send()
    await send({ body: 'Behind the house' })
    await fail(first)
    expect(await conversation()).toMatchObject({ ...FAILED, last_text: 'Behind the house' })
  })

  test('a text that failed is told no more after the next text, or a retry by the phone that the request names', async () => {
    await hear('Is there parking?')
    const id = await send()
    await fail(id)
    const other = await server.pair(user)
    expect(
      (await user.call('POST', `/api/sms/messages/${id}/retry`, { device_id: 'x'.repeat(15) }))
        .status,
    ).toBe(404)
    await act(id, 'retry', { device_id: other.id })
    expect(await conversation()).toMatchObject({ failure: '', unanswered: false })
    expect(await claim()).toEqual([])
    const [again] = await claim(other)
    expect(again).toMatchObject({ body: 'Yes' })
    await server.query('delete from devices where id = $1', [other.id])
  })

  test('a text that failed after it was sent is not delivered', async () => {
    await hear('Is there parking?')
    const id = await send()
    await claim()
    await report(id, 'sent')
    await report(id, 'failed', 'Unknown subscriber')
    expect(await conversation()).toMatchObject({
      ...FAILED,
      failure: 'Not delivered: Unknown subscriber',
    })
  })

  test('a text that failed is told by a conversation that is begun after it', async () => {
    await fail(await send())
    const body = { user: user.id, number: ZOE, failure: 'made up' }
    expect(await must(user, 'POST', records('conversations'), body)).toMatchObject({
      failure: 'Not sent: No signal',
      unanswered: false,
    })
  })
})

test('a text to an opted-out number is shown as failed, and does not count as an answer', async () => {
  await hear('Is there parking?')
  await must(user, 'POST', records('contacts'), { user: user.id, phone: ZOE, opted_out: true })
  const id = await send()
  expect(await conversation()).toMatchObject({
    ...FAILED,
    failure: 'Not sent: Recipient has opted out',
    last_message: id,
  })
})

test('a scheduled text whose person opts out before is told, without waiting for an answer to STOP', async () => {
  await hear('Is there parking?')
  await send({ scheduled_at: '2099-01-01 00:00:00Z' })
  await hear('STOP')
  await until('the end', async () => (await server.query('select from sms_dispatch')).length === 0)
  expect(await conversation()).toMatchObject({ last_text: 'STOP', unanswered: false })
})

test('a text that a person cancels is told, but has not failed', async () => {
  await hear('Is there parking?')
  const id = await send({ scheduled_at: '2099-01-01 00:00:00Z' })
  await change({ archived: true })
  await act(id, 'cancel')
  expect(await conversation()).toMatchObject({
    failure: 'Canceled',
    unanswered: true,
    archived: true,
  })
  expect(await counts()).toMatchObject({ failed: 0 })
})

test('a changed text is the last text of its conversation', async () => {
  await hear('Is there parking?')
  const id = await send({ scheduled_at: '2099-01-01 00:00:00Z' })
  await must(user, 'PATCH', `/api/sms/messages/${id}`, { body: 'Behind the house' })
  expect(await conversation()).toMatchObject({ last_text: 'Behind the house' })
})

test('a failed text of an automatic answer is told, one of a mass mailing is not', async () => {
  const answer = { user: user.id, match: 'any', body: 'Hello {{name|you}}', enabled: true }
  await must(user, 'POST', records('auto_answers'), answer)
  await hear('Is there parking?')
  await until(
    'the answer',
    async () => (await server.query('select from sms_dispatch')).length === 1,
  )
  const [task] = await claim()
  expect(task!.body).toBe('Hello you')
  await report(task!.id, 'failed', 'No signal')
  expect(await conversation()).toMatchObject({ ...FAILED, last_text: 'Is there parking?' })
  const id = await send()
  await claim()
  await report(id, 'sent')
  await fail(await send({ bulk: true }))
  expect(await conversation()).toMatchObject({ failure: '', unanswered: false })
})

test('a blocked conversation does not wait and stays in the archive', async () => {
  await hear('Is there parking?')
  const id = await send()
  await change({ blocked: true, archived: true })
  await fail(id)
  expect(await conversation()).toMatchObject({ unanswered: false, archived: true, blocked: true })
  expect(await counts()).toMatchObject({ failed: 0 })
})
