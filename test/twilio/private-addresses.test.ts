import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  pairPhone,
  startTwilioFixture,
  type TwilioFixture,
  type TwilioUser,
} from '../support/twilio/twilio-fixture.ts'

// without WEBHOOK_ALLOW_PRIVATE, as on a server of the internet

let fixture: TwilioFixture
let ann: TwilioUser
let number: string
beforeAll(async () => {
  fixture = await startTwilioFixture({ WEBHOOK_ALLOW_PRIVATE: 'false' })
  ann = await fixture.makeUser()
  await pairPhone(fixture, ann, '+4915550000001', 'Desk')
  const { body } = await ann.ask('GET', 'IncomingPhoneNumbers.json')
  number = body.incoming_phone_numbers[0].sid
})
afterAll(() => fixture.stop())

test.each([
  'http://app.example.com/status',
  'https://127.0.0.1/status',
  'https://[::1]/status',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/status',
  'https://localhost/status',
])('%s is no address to call', async (url) => {
  const sent = await ann.send({ StatusCallback: url })
  expect([sent.status, sent.body.code]).toEqual([400, 21609])
  const changed = await ann.ask('POST', `IncomingPhoneNumbers/${number}.json`, { SmsUrl: url })
  expect([changed.status, changed.body.code]).toEqual([400, 21502])
})

test('a public https address is', async () => {
  expect((await ann.send({ StatusCallback: 'https://app.example.com/status' })).status).toBe(201)
  const form = { SmsUrl: 'https://app.example.com/sms' }
  expect((await ann.ask('POST', `IncomingPhoneNumbers/${number}.json`, form)).status).toBe(200)
})
