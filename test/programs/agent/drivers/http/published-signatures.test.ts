import {
  isCallSigned,
  type SignedCall,
} from '../../../../../src/programs/agent/drivers/http/check-call-signature.ts'
import { carrierLibrary, hasCarrierLibraries } from '../../../../third-party/carrier-libraries.ts'
import { CALLBACK, carrierOf } from './carrier-fixture.ts'

// Signed calls that the carriers published: neither we nor a library of theirs signed them here.

const signatureOf = (preset: string) => carrierOf(preset).interface.signature!
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** `at`: the time in the signature, in seconds since 1970. */
test.each<
  [
    preset: string,
    secret: string,
    call: Omit<SignedCall, 'method' | 'body'> & { body: string },
    at?: number,
  ]
>([
  // callbacks-webhook.test.ts in github.com/sinch/sinch-sdk-node (2026-07-21)
  [
    'sinch',
    'SMSWebhooksSecret',
    {
      url: CALLBACK,
      body: '{"at":"2025-01-13T09:22:40.914Z","batch_id":"01JHFFHQ0P99JPPNQPJDV7JTBP","client_reference":"a client reference","code":0,"operator_status_at":"2025-01-13T09:22:00Z","recipient":"33662162466","status":"Delivered","type":"recipient_delivery_report_sms"}',
      headers: {
        'x-sinch-webhook-signature': 'ZoHei66PPN/kZjw7hFVfGhJOnml3iGNCMWoyQVcE5o0=',
        'x-sinch-webhook-signature-nonce': '01JHFFHWYY7HSS4FWTMDTQEK8V',
        'x-sinch-webhook-signature-timestamp': '1736760161',
      },
    },
    1736760161,
  ],
  // spec/validation.spec.js in github.com/twilio/twilio-node (2026-07-30)
  [
    'twilio',
    '12345',
    {
      url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
      body: 'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212',
      headers: { ...form, 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    },
  ],
  // test/utils.js in github.com/plivo/plivo-node (2026-06-12)
  [
    'plivo',
    'my_auth_token',
    {
      url: 'https://answer.url',
      body: '',
      headers: {
        'x-plivo-signature-v2': 'ehV3IKhLysWBxC1sy8INm0qGoQYdYsHwuoKjsX7FsXc=',
        'x-plivo-signature-v2-nonce': '12345',
      },
    },
  ],
])('the published call of %s has a valid signature, until 5 minutes after its time', (...row) => {
  const [preset, secret, { url, headers, body }, at] = row
  const isValid = (seconds = 0, key = secret, address = url) =>
    isCallSigned(
      signatureOf(preset),
      { method: 'POST', url: address, headers, body: Buffer.from(body) },
      key,
      new Date(((at ?? 0) + seconds) * 1000),
    )
  expect(isValid()).toBe(true)
  expect(isValid(301)).toBe(at === undefined)
  expect(isValid(0, `${secret}1`)).toBe(false)
  // Sinch does not sign the address
  expect(isValid(0, secret, 'https://other.example/')).toBe(preset === 'sinch')
})

interface Reference {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly secret?: string
  readonly payload?: string
  readonly timestamp: string
  readonly token: string
  readonly valid: boolean
}

test.runIf(hasCarrierLibraries())('the 44 reference cases of MessageBird have its verdicts', () => {
  const cases: Reference[] = carrierLibrary(
    'messagebird/lib/testdata/webhook-signature-jwt-reference.json',
  )
  const verdicts = cases.map(
    ({ name, method, url, secret = 'sesame', payload = '', timestamp, token }) => {
      const headers = { 'messagebird-signature-jwt': token }
      const call = { method, url, headers, body: Buffer.from(payload) }
      return [name, isCallSigned(signatureOf('messagebird'), call, secret, new Date(timestamp))]
    },
  )
  expect(verdicts).toEqual(cases.map(({ name, valid }) => [name, valid]))
  expect(verdicts).toHaveLength(44)
})
