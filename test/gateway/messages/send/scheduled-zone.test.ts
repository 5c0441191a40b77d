import { ANN, startServerWithUsers } from '../../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const TO = ['+4911111']

test.each([
  ['2099-12-01 09:00:00', '2099-12-01 09:00:00.000Z'],
  ['2099-12-01 09:00:00Z', '2099-12-01 09:00:00.000Z'],
  ['2099-12-01T09:00:00+01:00', '2099-12-01 08:00:00.000Z'],
  ['2099-06-01T09:00:00.000-03:30', '2099-06-01 12:30:00.000Z'],
])('a send for %s is answered and stored with %s', async (scheduled_at, at) => {
  const { status, body } = await server.send({ scheduled_at })
  expect([status, body.scheduled_at]).toEqual([200, at])
  const stored = await server.rows('select scheduled_at from sms_messages where id = $1', [
    body.message_ids[0],
  ])
  expect(stored).toEqual([[at]])
})

test.each([
  ['is due at once', {}],
  ['is past', { scheduled_at: '2020-01-01 00:00:00' }],
  ['can be undone', { undo_seconds: 5 }],
])('a send that %s is answered without a time', async (_, more) => {
  expect((await server.send(more)).body).not.toHaveProperty('scheduled_at')
})

test('a repeated request has the time of the first answer', async () => {
  const send = { recipients: TO, body: 'Hi', scheduled_at: '2099-12-01T09:00:00+01:00' }
  const key = { 'idempotency-key': 'zone', 'x-api-key': ANN.key }
  const first = await server.ask('POST', 'send', send, key)
  expect((await server.ask('POST', 'send', send, key)).body).toEqual(first.body)
  const known = { ...send, client_ref: 'zone', scheduled_at: '2099-12-02 10:00:00' }
  const sent = await server.ask('POST', 'send', known)
  const again = await server.ask('POST', 'send', { ...known, scheduled_at: '2099-12-05 10:00:00' })
  expect(again.body).toEqual(sent.body)
  expect(again.body.scheduled_at).toBe('2099-12-02 10:00:00.000Z')
})

test.each(['2099-12-01 09:00:00 Europe/Berlin', '01/12/2099', 'tomorrow'])(
  'a send for %s is refused',
  async (scheduled_at) => {
    expect((await server.send({ scheduled_at })).body.message).toMatch(/^scheduled_at must be/)
  },
)
