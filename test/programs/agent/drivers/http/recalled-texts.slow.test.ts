import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../../support/server/server-with-devices.ts'
import { type Receiver, startReceiver } from '../../../../support/services/receiver.ts'
import { until } from '../../../../support/until.ts'

// A carrier answers that it is busy, so the server holds a text for it. Meanwhile somebody ends the text.

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const TO = '+4915112345678'
/** How long the carrier wants the server to wait, and how long a second request may take to arrive. */
const [WAIT_SECONDS, QUIET_MS] = [2, 4_500]

/** A text that the server holds for a busy carrier, which has been asked once. */
interface HeldText {
  readonly user: Client
  readonly phone: Client
  readonly device: string
  readonly carrier: Receiver
  readonly id: string
  readonly batch: string
}

const CUSTOM = { preset: 'custom', custom: { send: { path: '/send?to={{to}}' } } }
/** Accounts of carriers, and the answer that makes the server wait and ask again. */
const ACCOUNTS = {
  custom: { account: CUSTOM, secret: '', busy: [429, '{}'] },
  twilio: {
    account: { preset: 'twilio', user: 'AC1', senders: ['+15005550006'] },
    secret: 'sesame',
    busy: [429, '{"code":20429,"message":"Too Many Requests","status":429}'],
  },
  vonage: {
    account: { preset: 'vonage', user: 'abcd1234', senders: ['+15005550006'] },
    secret: 'sesame',
    busy: [
      429,
      '{"type":"https://developer.vonage.com/api-errors/messages#1000","title":"Throttled","detail":"You have exceeded the submission capacity allowed on this account. Please wait and retry"}',
    ],
  },
  // repeats an attempt without an answer: the carrier recognizes it
  pocketsms: { account: { preset: 'pocketsms' }, secret: 'psk_1', busy: [503, '{}'] },
} as const

async function holdText(
  kind: keyof typeof ACCOUNTS = 'custom',
  more: object = {},
): Promise<HeldText> {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user)
  const carrier = await startReceiver()
  const { account, secret, busy } = ACCOUNTS[kind]
  const [status, body] = busy
  carrier.answer(status, body, {
    'retry-after': String(WAIT_SECONDS),
    'content-type': 'application/json',
  })
  const { device } = await must(user, 'POST', '/api/devices/carriers', {
    account: { ...account, url: carrier.url, rate: 100 },
    secret,
    ready: true,
  })
  carrier.told.length = 0
  const { message_ids, batch_id } = await must(user, 'POST', '/api/sms/send', {
    recipients: [TO],
    body: 'Hello',
    device_id: device,
    ...more,
  })
  await carrier.heard(1)
  return { user, phone, device, carrier, id: message_ids[0], batch: batch_id }
}

const find = (user: Client, id: string) =>
  must(user, 'GET', `/api/collections/sms_messages/records/${id}`)

/** Waits longer than the carrier wants. Returns how often it was asked. */
async function countRequests({ carrier }: HeldText): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  return carrier.told.length
}

const usedQuota = async (user: Client) =>
  Number((await gateway.query('select used from sms_usage where "user" = $1', [user.id]))[0]?.[0])

const setForAccount = (user: Client, field: string, value: unknown) =>
  gateway.query(
    `insert into user_settings (id, "user", ${field}, created, updated)
    values (pb_new_id(), $1, $2, pb_text(now()), pb_text(now())) on conflict ("user") do update set ${field} = $2`,
    [user.id, value],
  )

const say = ({ phone }: HeldText, body: string) => gateway.hear(phone, [[TO, body]])

describe.concurrent('a text that waits for a busy carrier', () => {
  test('a text that waits for a busy carrier leaves when the carrier accepts texts again', async () => {
    const held = await holdText()
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(2)
    expect(await find(held.user, held.id)).toMatchObject({ status: 'sent' })
  })

  test.each(Object.keys(ACCOUNTS) as (keyof typeof ACCOUNTS)[])(
    'a text that waits for a busy carrier does not leave by %s after its person has written STOP',
    async (kind) => {
      const held = await holdText(kind)
      await say(held, 'STOP')
      held.carrier.answer(200, '{}')
      const asked = held.carrier.told.length
      expect(await countRequests(held)).toBe(asked)
      // after a 503, the first request may have been accepted: its outcome is unknown
      if (kind === 'pocketsms') return
      const isEnded = async () => (await find(held.user, held.id)).status === 'failed'
      await until('the text ends', isEnded)
      expect(await find(held.user, held.id)).toMatchObject({
        error_message: 'Recipient has opted out',
      })
      expect(await usedQuota(held.user)).toBe(0)
    },
  )

  test('a text that waits for a busy carrier does not leave after its person was erased', async () => {
    const held = await holdText()
    const reason = 'She asked for it'
    const { id } = await must(held.user, 'POST', '/api/person/erase', { number: TO, reason })
    const isDone = async () =>
      (await must(held.user, 'GET', `/api/collections/person_requests/records/${id}`)).state ===
      'done'
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(1)
    await until('the erasure is done', isDone)
  })

  test('a text that waits for a busy carrier does not leave after it was canceled, and costs nothing', async () => {
    const held = await holdText()
    const answer = await must(held.user, 'POST', `/api/sms/messages/${held.id}/cancel`)
    expect(answer).toEqual({ id: held.id, status: 'failed', error_message: 'Canceled' })
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(1)
    expect(await find(held.user, held.id)).toMatchObject(answer)
    expect(await usedQuota(held.user)).toBe(0)
  })

  test('a text that waits for a busy carrier does not leave after its batch was canceled', async () => {
    const held = await holdText('custom', { recipients: [TO, '+4915112345679'] })
    const answer = await must(held.user, 'POST', `/api/sms/batches/${held.batch}/cancel`)
    expect(answer).toMatchObject({ canceled: 2, counts: { sending: 0, failed: 2 } })
    const asked = held.carrier.told.length
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(asked)
  })

  test('a text that waits for a busy carrier does not leave after it was deleted', async () => {
    const held = await holdText()
    await must(held.user, 'DELETE', `/api/collections/sms_messages/records/${held.id}`)
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(1)
  })

  test('a text that waits for a busy carrier does not leave after its account was closed', async () => {
    const held = await holdText()
    await setForAccount(held.user, 'disabled', true)
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(1)
  })

  test('a text that waits for a busy carrier does not leave by a carrier that was disabled', async () => {
    const held = await holdText()
    await must(held.user, 'PATCH', `/api/collections/devices/records/${held.device}`, {
      enabled: false,
    })
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(1)
  })

  test('a text that waits for a busy carrier does not leave to a country that the account no longer allows', async () => {
    const held = await holdText()
    await setForAccount(held.user, 'destinations', '+43')
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(1)
    await until('the text ends', async () => (await find(held.user, held.id)).status === 'failed')
    expect(await find(held.user, held.id)).toMatchObject({
      error_message: 'Destination not allowed',
    })
  })

  test('a text that waits for a busy carrier does not leave after it has expired', async () => {
    const held = await holdText()
    await gateway.query('update sms_dispatch set expires_at = now() where message = $1', [held.id])
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(1)
  })

  test('a text that waits for a busy carrier does not leave after its campaign was canceled', async () => {
    const held = await holdText()
    held.carrier.told.length = 0
    const { id } = await must(held.user, 'POST', '/api/campaigns', {
      name: 'Sale',
      body: 'Hello',
      recipients: ['+4915112345679'],
      device_id: held.device,
    })
    await must(held.user, 'POST', `/api/sms/messages/${held.id}/cancel`)
    const isFetched = async () =>
      (
        await gateway.query(
          `select 1 from sms_messages where sent_by = $1 and status = 'sending'`,
          [id],
        )
      ).length > 0
    await until('the text of the campaign waits for the carrier', isFetched)
    await must(held.user, 'POST', `/api/campaigns/${id}/cancel`)
    const asked = held.carrier.told.length
    held.carrier.answer(200, '{}')
    expect(await countRequests(held)).toBe(asked)
  })
})
