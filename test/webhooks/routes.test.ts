import { makeWebhook, startWebhookFixture } from '../support/webhook-fixture.ts'

const fixture = await startWebhookFixture()
const user = fixture.user

test('the routes are for the user of the webhook and for superusers', async () => {
  const hook = await makeWebhook(user, fixture.receiver.url)
  const other = await fixture.gateway.makeUser()
  const phone = await fixture.gateway.pair(user)
  for (const action of ['test', 'rotate', 'resend-failed']) {
    const path = `/api/webhooks/${hook.id}/${action}`
    const body = { since: '2026-01-01' }
    expect(await fixture.gateway.guest.call('POST', path, body)).toEqual({
      status: 401,
      body: { error: 'unauthorized', message: 'Authentication required' },
    })
    expect((await phone.call('POST', path, body)).status).toBe(403)
    expect(await other.call('POST', path, body)).toEqual({
      status: 404,
      body: { error: 'webhook_not_found', message: 'Webhook not found' },
    })
    expect((await user.call('POST', path, body)).status).toBe(200)
    expect((await fixture.gateway.superuser.call('POST', path, body)).status).toBe(200)
  }
  const deliveries = '/api/collections/webhook_deliveries/records'
  const { id } = (await user.call('GET', deliveries)).body.items[0]
  const resend = `/api/webhooks/deliveries/${id}/resend`
  expect((await other.call('POST', resend)).body.error).toBe('delivery_not_found')
  expect((await user.call('POST', resend)).status).toBe(200)
})

test('at most three tests of a webhook wait, also when they come at once', async () => {
  const nobody = 'http://127.0.0.1:1'
  const [hook, other] = [await makeWebhook(user, nobody), await makeWebhook(user, nobody)]
  const ask = ({ id }: { id: string }) => user.call('POST', `/api/webhooks/${id}/test`)
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(hook)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array(7).fill(429)])
  const refused = await fetch(`${fixture.gateway.url}/api/webhooks/${hook.id}/test`, {
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
])('%s is no time since when to send again', async (_, body) => {
  const hook = await makeWebhook(user, fixture.receiver.url)
  const answer = await user.call('POST', `/api/webhooks/${hook.id}/resend-failed`, body)
  expect(answer.status).toBe(400)
  expect(answer.body.error).toBe('invalid_request')
})
