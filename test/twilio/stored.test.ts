import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  pairPhone,
  startTwilioFixture,
  type TwilioFixture,
  type TwilioUser,
} from '../support/twilio/twilio-fixture.ts'

let fixture: TwilioFixture
let ann: TwilioUser
beforeAll(async () => {
  fixture = await startTwilioFixture()
  ann = await fixture.makeUser()
  await pairPhone(fixture, ann, '+4915550000001')
})
afterAll(() => fixture.stop())

// Twilio's library for Java repeats every request that was answered with 5xx.
test('a message that is stored is answered, also when it cannot be read', async () => {
  const { db } = fixture.gateway.server.services.store
  await db.query('alter table devices rename column phone to phone_')
  const answer = await ann.send()
  await db.query('alter table devices rename column phone_ to phone')
  expect(answer.status).toBe(201)
  const { body } = await ann.ask('GET', 'Messages.json')
  expect(body.messages.map(({ sid }: { sid: string }) => sid)).toEqual([answer.body.sid])
  expect(answer.body).toMatchObject({ status: 'queued', to: '+4915112345678', body: 'Hi', num_segments: '1' })
})
