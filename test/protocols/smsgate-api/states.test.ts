import { watchStatements } from '../../support/database/watch-statements.ts'
import { PHONES } from '../../support/server/server-with-users.ts'
import { startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

const fixture = await startSmsgateApiFixture()

const NUMBERS = ['+4911111', '+4911112', '+4911113']
async function send(count = 3, more: object = {}) {
  const phoneNumbers = NUMBERS.slice(0, count)
  const message = { textMessage: { text: 'Hello' }, phoneNumbers, ...more }
  const answer = await fixture.ask('POST', '/messages', message)
  expect(answer.status).toBe(202)
  return answer.body as { id: string; deviceId: string }
}
const stateOf = async (id: string) => (await fixture.ask('GET', `/messages/${id}`)).body

/** What devices do, by the requests that they make. */
async function device(id: string, path: string, body: unknown) {
  const headers = await fixture.server.signedIn('devices', id)
  const answer = await fixture.server.ask('POST', `/api/devices/${path}`, body, headers)
  expect(answer.status).toBe(200)
  return answer.body.items as { id: string; to: string; attempt: number }[]
}
const claim = (id: string) => device(id, 'claim', { limit: 50 })

/** Claims all of a send with a phone, and reports what `outcomes` says by number. */
async function sendAndReport(outcomes: Readonly<Record<string, string>>) {
  const { id } = await send(3, { deviceId: PHONES[0] })
  const items = (await claim(PHONES[0])).filter(({ to }) => outcomes[to])
  const reports = (status: string) =>
    items
      .filter(
        ({ to }) => outcomes[to] === status || (status === 'sent' && outcomes[to] === 'delivered'),
      )
      .map(({ id, attempt }) => {
        const error = status === 'failed' && { error_message: 'No signal' }
        return { id, attempt, status, ...error }
      })
  for (const status of ['sent', 'delivered', 'failed'])
    if (reports(status).length > 0) await device(PHONES[0], 'report', { items: reports(status) })
  return stateOf(id)
}
const [A, B, C] = NUMBERS as [string, string, string]

test.each<[string, Record<string, string>]>([
  ['Processed', {}],
  ['Processed', { [A]: 'delivered', [B]: 'failed' }],
  ['Failed', { [A]: 'failed', [B]: 'failed', [C]: 'failed' }],
  ['Delivered', { [A]: 'delivered', [B]: 'delivered', [C]: 'delivered' }],
  ['Sent', { [A]: 'delivered', [B]: 'failed', [C]: 'failed' }],
  ['Sent', { [A]: 'sent', [B]: 'delivered', [C]: 'delivered' }],
])('a send has the state %s if its recipients are %j', async (state, outcomes) => {
  const { state: whole, recipients, states } = await sendAndReport(outcomes)
  expect(whole).toBe(state)
  const named: Record<string, string> = { sent: 'Sent', delivered: 'Delivered', failed: 'Failed' }
  const expected = NUMBERS.map((phoneNumber) => {
    const of = named[outcomes[phoneNumber]!] ?? 'Processed'
    return { phoneNumber, state: of, ...(of === 'Failed' && { error: 'No signal' }) }
  })
  expect(recipients).toEqual(expected)
  const seen = new Set(['Pending', 'Processed', ...expected.map(({ state }) => state)])
  if (seen.has('Delivered')) seen.add('Sent')
  expect(Object.keys(states).sort()).toEqual([...seen].sort())
  for (const at of Object.values(states))
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

describe('canceling a send', () => {
  const headers = { ...fixture.ann, 'content-type': 'application/json' }
  const cancel = (id: string) => fixture.ask('DELETE', `/messages/${id}`, undefined, headers)

  test.each([1, 3])(
    'canceling a send cancels waiting messages to %i recipients once',
    async (count) => {
      const { id } = await send(count)
      const { status, body } = await cancel(id)
      expect([status, body.state]).toEqual([200, 'Cancelled'])
      const canceled = NUMBERS.slice(0, count).map((phoneNumber) => ({
        phoneNumber,
        state: 'Cancelled',
      }))
      expect(body.recipients).toEqual(canceled)
      expect(Object.keys(body.states).sort()).toEqual(['Cancelled', 'Pending'])
      expect(await cancel(id)).toMatchObject({ status: 409, body: { message: expect.any(String) } })
      expect((await stateOf(id)).state).toBe('Cancelled')
    },
  )

  test('canceling a send is refused with 409 once a device has it', async () => {
    const { id } = await send(1, { deviceId: PHONES[1] })
    await claim(PHONES[1])
    expect((await cancel(id)).status).toBe(409)
    expect((await stateOf(id)).state).toBe('Processed')
  })

  test('canceling a send cancels the recipients whose messages no device has begun', async () => {
    const { id } = await send(3, { scheduleAt: new Date(Date.now() + 3_600_000).toISOString() })
    const [first] = (
      await fixture.server.rows(
        'select m.id from sms_messages m join sms_origins s on s.ref = m.batch_id where s.id = $1 order by m._rowid',
        [id],
      )
    )[0]!
    await fixture.server.rows(`delete from sms_dispatch where message = $1`, [first])
    await fixture.server.rows(`update sms_messages set status = 'sent' where id = $1`, [first])
    const { status, body } = await cancel(id)
    expect([status, body.state]).toEqual([200, 'Cancelled'])
    const states = ['Sent', 'Cancelled', 'Cancelled']
    expect(body.recipients.map(({ state }: { state: string }) => state)).toEqual(states)
  })

  test.each(['GET', 'DELETE'])(
    "%s of an unknown send or another user's is answered with 404",
    async (method) => {
      const { id } = await send(1)
      for (const [path, headers] of [
        ['nobody', fixture.ann],
        [id, fixture.ben],
        ['%E2%82%AC%F0%9F%98%80', fixture.ann],
      ] as const)
        expect(await fixture.ask(method, `/messages/${path}`, undefined, headers)).toMatchObject({
          status: 404,
          body: { message: 'Message not found' },
        })
    },
  )
})

describe('a message sent by another API', () => {
  test('a message sent by another API is found by its message id or batch id', async () => {
    const one = (await fixture.server.send({ body: 'From the console' })).body
    expect(await stateOf(one.message_ids[0])).toMatchObject({
      id: one.message_ids[0],
      textMessage: { text: 'From the console' },
    })
    const several = (await fixture.server.send({ recipients: NUMBERS })).body
    expect(await stateOf(several.batch_id)).toMatchObject({
      id: several.batch_id,
      recipients: [{}, {}, {}],
    })
    expect(await stateOf(several.message_ids[2])).toMatchObject({
      recipients: [{ phoneNumber: NUMBERS[2] }],
    })
  })

  test('a message sent by another API is refused as a batch too large to list', async () => {
    await fixture.server.rows(
      `insert into sms_messages (id, "user", status, message_type, "to", batch_id, created, updated)
      select 'large' || lpad(i::text, 10, '0'), $1, 'sent', 'outgoing', '+4911100', 'largebatch', pb_text(now()), pb_text(now())
      from generate_series(1, 1001) i`,
      ['ann000000000000'],
    )
    expect(await fixture.ask('GET', '/messages/largebatch')).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/1000 recipients/) },
    })
  })

  test('a message sent by another API is not found if it is an incoming text', async () => {
    await fixture.server.rows(
      `insert into sms_messages (id, "user", status, message_type, "from", created, updated)
      values ('incoming0000000', $1, 'received', 'incoming', '+4911100', pb_text(now()), pb_text(now()))`,
      ['ann000000000000'],
    )
    expect((await fixture.ask('GET', '/messages/incoming0000000')).status).toBe(404)
  })
})

test('a message is shown without text and number after retention deleted them', async () => {
  const { id } = await send(1)
  await fixture.server.rows(`update sms_messages set body = '', "to" = '' where id = $1`, [id])
  expect(await stateOf(id)).toMatchObject({
    textMessage: { text: '' },
    recipients: [{ phoneNumber: '' }],
  })
})

test('the state of a send is read by its id or batch, and not by the order of all texts', async () => {
  for (const count of [1, 3]) {
    const { id } = await send(count)
    const asked = await watchStatements(['lookUp'], () => stateOf(id))
    const [{ text, db }] = asked.filter((one) => one.text.includes('sms_events')) as [
      (typeof asked)[0],
    ]
    const { rows } = await db.lookUp(`explain ${text}`, ['nobody', id])
    expect(rows.flat().join('\n')).not.toMatch(/_rowid_key|Seq Scan on sms_messages/)
  }
})
