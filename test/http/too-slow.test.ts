import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Client, client } from '../support/server/server-with-devices.ts'
import {
  makeKey,
  startTwilioFixture,
  type TwilioFixture,
  type TwilioUser,
} from '../support/twilio/twilio-fixture.ts'

// The table of messages is locked: each statement of a client that reads it runs until it is canceled.

const TOO_SLOW = expect.stringMatching(/^This takes too long\./)
const records = '/api/collections/sms_messages/records'

describe.runIf(process.env.TEST_BACKEND === 'postgres')('a statement that takes too long', () => {
  let fixture: TwilioFixture
  let twilio: TwilioUser
  let user: Client
  let smsgate: Client
  beforeAll(async () => {
    fixture = await startTwilioFixture({ CLIENT_STATEMENT_SECONDS: '1' })
    twilio = await fixture.makeUser()
    user = twilio.user
    const { key } = await makeKey(user, { scopes: ['all:any'] })
    smsgate = client(fixture.gateway.url, user.id, `Bearer ${key}`)
  })
  afterAll(() => fixture.stop())

  const duringLock = <T>(work: () => Promise<T>): Promise<T> =>
    fixture.gateway.server.services.store.db.transaction(async (inside) => {
      await inside.query('lock table sms_messages in access exclusive mode')
      return work()
    })

  test.each<[api: string, ask: () => Promise<{ status: number; body: unknown }>, body: object]>([
    [
      "Twilio's list",
      () => twilio.ask('GET', 'Messages.json?To=%2B4915112345678'),
      { code: 20001, status: 400, message: TOO_SLOW },
    ],
    ["SMSGate's inbox", () => smsgate.call('GET', '/api/3rdparty/v1/inbox'), { message: TOO_SLOW }],
    [
      "PocketBase's list",
      () => user.call('GET', `${records}?filter=body~"a"`),
      { data: {}, status: 400, message: TOO_SLOW },
    ],
  ])('%s answers 400 in its own form and logs no error', async (_, ask, body) => {
    const error = vi.spyOn(fixture.gateway.server.services.log, 'error')
    const answer = await duringLock(ask)
    expect([answer.status, answer.body]).toEqual([400, expect.objectContaining(body)])
    expect(error).not.toHaveBeenCalled()
    error.mockRestore()
  })
})
