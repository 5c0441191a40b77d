import {
  failForDeletedDevice,
  failForDeletedLine,
} from '../../../src/gateway/messages/queue/overdue-messages.ts'
import { deliveriesOf, makeWebhook, startWebhookFixture } from '../../support/webhook-fixture.ts'

const { gateway, user, receiver } = await startWebhookFixture()

test("webhook routes are open to the webhook's user and superusers only", async () => {
  const hook = await makeWebhook(user, receiver.url)
  const other = await gateway.makeUser()
  const phone = await gateway.pair(user)
  for (const action of ['test', 'rotate', 'resend-failed']) {
    const path = `/api/webhooks/${hook.id}/${action}`
    const body = { since: '2026-01-01' }
    expect(await gateway.guest.call('POST', path, body)).toEqual({
      status: 401,
      body: { error: 'unauthorized', message: 'Authentication required' },
    })
    expect((await phone.call('POST', path, body)).status).toBe(403)
    expect(await other.call('POST', path, body)).toEqual({
      status: 404,
      body: { error: 'webhook_not_found', message: 'Webhook not found' },
    })
    expect((await user.call('POST', path, body)).status).toBe(200)
    expect((await gateway.superuser.call('POST', path, body)).status).toBe(200)
  }
  const deliveries = '/api/collections/webhook_deliveries/records'
  const { id } = (await user.call('GET', deliveries)).body.items[0]
  const resend = `/api/webhooks/deliveries/${id}/resend`
  expect((await other.call('POST', resend)).body.error).toBe('delivery_not_found')
  expect((await user.call('POST', resend)).status).toBe(200)
})

test('at most three tests of a webhook may wait, even if requested at once', async () => {
  const nobody = 'http://127.0.0.1:1'
  const [hook, other] = [await makeWebhook(user, nobody), await makeWebhook(user, nobody)]
  const ask = ({ id }: { id: string }) => user.call('POST', `/api/webhooks/${id}/test`)
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(hook)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array(7).fill(429)])
  const refused = await fetch(`${gateway.url}/api/webhooks/${hook.id}/test`, {
    method: 'POST',
    headers: { authorization: user.token },
  })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await refused.json()).toEqual({
    error: 'too_many_requests',
    message: 'Your share of tests that wait of this webhook is used up.',
  })
  expect((await ask(other)).status).toBe(200)
})

test.each([
  ['no date', { since: 'tomorrow or so' }],
  ['nothing', {}],
  ['no object', []],
])('resend-failed refuses a body that has %s', async (_, body) => {
  const hook = await makeWebhook(user, receiver.url)
  const answer = await user.call('POST', `/api/webhooks/${hook.id}/resend-failed`, body)
  expect(answer.status).toBe(400)
  expect(answer.body.error).toBe('invalid_request')
})

const PATH = '/api/collections/webhooks/records'
const phone = await gateway.pair(user, { sims: [{ slot: 1 }, { slot: 2 }] })
const recordsOf = async (collection: string) =>
  (await user.call('GET', `/api/collections/${collection}/records?perPage=100`)).body.items
const lines: { id: string; slot: number }[] = await recordsOf('lines')
const [one, two] = [1, 2].map((slot) => lines.find((line) => line.slot === slot)!.id)

const ALL = ['+4930111', '+4930222', '+4930333', 'DHL']
const CASES: readonly (readonly [what: string, limits: object, told: readonly string[]])[] = [
  ['nothing', {}, ALL],
  ['a line', { lines: [one] }, ['+4930111', '+4930333']],
  ['both lines', { lines: [one, two] }, ALL],
  ['a number and a name', { numbers: '+4930111,DHL' }, ['+4930111', 'DHL']],
  ['beginnings', { numbers: '+4930*,D*' }, ALL],
  ['a number that is a prefix of others', { numbers: '+4930' }, []],
  ['incoming texts', { events: ['message.received'], numbers: '+49*' }, ['+4930333']],
  ['a line and a number of another line', { lines: [two], numbers: '+4930111' }, []],
]
const hooks = await Promise.all(CASES.map(([, limits]) => makeWebhook(user, receiver.url, limits)))
for (const [at, line_id] of [one, two].entries())
  await user.call('POST', '/api/sms/send', { recipients: [ALL[at]], body: 'Hi', line_id })
const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 2 })).body
const sent = items.map(({ id, attempt }: Record<string, unknown>) => ({
  id,
  attempt,
  status: 'sent',
}))
await phone.call('POST', '/api/devices/report', { items: sent })
const received_at = '2026-01-01 00:00:00.000Z'
const incoming = [2, 3].map((at) => ({ from: ALL[at], body: 'Hi', sim: at - 1, received_at }))
await phone.call('POST', '/api/devices/incoming', { items: incoming })
const messages: Record<'id' | 'to' | 'from', string>[] = await recordsOf('sms_messages')
const deliveries = await deliveriesOf(user)

test.each(CASES.map(([what, , told], at) => [what, told, at] as const))(
  'a webhook limited to %s gets only their events',
  (_, told, at) => {
    const own = deliveries
      .filter(({ webhook }) => webhook === hooks[at]!.id)
      .map(({ message }) => message)
    const others = messages
      .filter(({ id }) => own.includes(id))
      .map(({ to, from }) => (ALL.includes(to) ? to : from))
    expect([own.length, others.sort()]).toEqual([told.length, told])
  },
)

test.each(['0151', '+49,', '%', '+49_', '+4 *9'])(
  '%j is refused as a list of numbers',
  async (numbers) => {
    const { status, body } = await user.call('PATCH', `${PATH}/${hooks[0]!.id}`, { numbers })
    expect([status, Object.keys(body.data)]).toEqual([400, ['numbers']])
  },
)

test("a webhook accepts only its user's lines, and gets no other events after its line is deleted", async () => {
  const eve = await gateway.makeUser()
  const hook = { user: eve.id, url: receiver.url, events: ['message.sent'], lines: [one] }
  expect((await eve.call('POST', PATH, hook)).body.data?.lines?.code).toBe(
    'validation_invalid_lines',
  )
  await gateway.query('update lines set present = false where id = $1', [one])
  await user.call('DELETE', `/api/collections/lines/records/${one}`)
  const { body } = await user.call('PATCH', `${PATH}/${hooks[1]!.id}`, { enabled: false })
  expect(body).toMatchObject({ enabled: false, lines: [one] })
})

test.each(['line_id', 'device_id'])(
  'webhooks hear of a text by %s that fails because its phone is deleted, also those limited to its line',
  async (named) => {
    const owner = await gateway.makeUser()
    const old = await gateway.pair(owner, { sims: [{ slot: 1 }, { slot: 2 }] })
    const { items } = (await owner.call('GET', '/api/collections/lines/records')).body
    const [one, two]: string[] = items.map(({ id }: { id: string }) => id)
    const { body } = await owner.call('POST', '/api/sms/send', {
      recipients: ['+4930111'],
      body: 'Hi',
      [named]: named === 'line_id' ? one : old.id,
    })
    const path = `/api/collections/sms_messages/records/${body.message_ids[0]}`
    const { line } = (await owner.call('GET', path)).body
    const other = line === one ? two : one
    const limits = [{}, { lines: [line] }, { lines: [other] }, { lines: [one, two] }]
    const made = await Promise.all(limits.map((limit) => makeWebhook(owner, receiver.url, limit)))
    await owner.call('DELETE', `/api/collections/devices/records/${old.id}`)
    for (const fail of [failForDeletedLine, failForDeletedDevice])
      await fail(gateway.server.services.store.db)
    expect((await owner.call('GET', path)).body).toMatchObject({ status: 'failed', line })
    const told = await deliveriesOf(owner)
    const events = made.map(({ id }) =>
      told.flatMap(({ webhook, event }) => (webhook === id ? [event] : [])),
    )
    const failed = ['message.failed']
    expect(events).toEqual([failed, failed, [], failed])
  },
)
