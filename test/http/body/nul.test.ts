import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Postgres does not take NUL, not even to look for it.

const server = await startServerWithDevices()
const user = await server.makeUser()

test.each([
  ['GET', '/api/sms/batches/%00', 'batch_not_found'],
  ['POST', '/api/sms/batches/a%00/cancel', 'batch_not_found'],
  ['POST', '/api/sms/batches/%00/retry', 'batch_not_found'],
  ['POST', '/api/sms/messages/%00/cancel', 'message_not_found'],
  ['POST', '/api/sms/messages/%00b/retry', 'message_not_found'],
  ['POST', '/api/webhooks/%00/test', 'webhook_not_found'],
  ['POST', '/api/webhooks/%00/rotate', 'webhook_not_found'],
  ['POST', '/api/webhooks/deliveries/%00/resend', 'delivery_not_found'],
  ['POST', '/api/mobile/v1/incoming/%00', undefined],
  ['GET', '/api/collections/contacts/records/%00', undefined],
  ['GET', '/api/collections/%00/records', undefined],
  ['GET', '/api/files/contacts/%00/a.png', undefined],
  ['GET', '/%00', undefined],
] as const)('%s %s finds nothing', async (method, path, error) => {
  const answer = await user.call(method, path, method === 'POST' ? {} : undefined)
  expect([answer.status, answer.body.error]).toEqual([404, error])
})

test('in a query it is for whoever reads it', async () => {
  const { status, body } = await user.call('GET', '/api/collections/contacts/records?fields=%00')
  expect([status, body]).toEqual([200, expect.anything()])
})

test('in the id of a realtime client it names no client', async () => {
  const { status } = await user.call('POST', '/api/realtime', {
    clientId: 'a\0b',
    subscriptions: ['contacts'],
  })
  expect(status).toBe(404)
})
