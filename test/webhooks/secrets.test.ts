import { expect, test } from 'vitest'
import { isSecret, newSecret, signatureHeaders } from '../../src/webhooks/secrets.ts'

test.each([
  ['a new one', newSecret(), true],
  ['24 bytes', `whsec_${Buffer.alloc(24, 1).toString('base64')}`, true],
  ['25 bytes', `whsec_${Buffer.alloc(25, 1).toString('base64')}`, true],
  ['26 bytes', `whsec_${Buffer.alloc(26, 1).toString('base64')}`, true],
  ['nothing', '', false],
  ['nothing behind the prefix', 'whsec_', false],
  ['no prefix', 'c2VjcmV0', false],
  ['no base64', 'whsec_not base64', false],
  ['base64 cut short', 'whsec_c2Vjc', false],
])('%s can be signed with: %s', (_, text, isGood) => expect(isSecret(text)).toBe(isGood))

test('a signature is what the example of Standard Webhooks says', () => {
  const at = new Date(1614265330 * 1000)
  const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, body: '{"test": 2432232314}' }
  expect(signatureHeaders(signed, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})
