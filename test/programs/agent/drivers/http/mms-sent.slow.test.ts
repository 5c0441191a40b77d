import { openMmsServer, SMALL } from '../../../../gateway/messages/send/mms-fixture.ts'
import { freePort } from '../../../../support/database/postgres.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../../support/server/server-with-devices.ts'
import { type ReceivedCall, startReceiver } from '../../../../support/services/receiver.ts'
import { until } from '../../../../support/until.ts'
import { SECRETS, SIGNERS } from './carrier-signers.ts'

// A shop's picture leaves by a carrier, which fetches it and reports its delivery.

/** A server whose links and calls work: it listens where its PUBLIC_URL says. */
async function startReachableServer() {
  const PORT = String(await freePort())
  const PUBLIC_URL = `http://127.0.0.1:${PORT}`
  return startServerWithDevices({ PORT, PUBLIC_URL, WEBHOOK_ALLOW_PRIVATE: 'true' })
}

const gateway = await startReachableServer()
const behind = await startReachableServer()
const { sendForm, findMessage } = openMmsServer(gateway)
const PATH = '/api/devices/carriers'
const TO = '+4915112345678'
const FROM = '+4930123'
const WORDS = { body: 'Your parcel', subject: 'Shop' }

/** A request for an MMS, as a carrier reads it. */
interface Asked {
  readonly text: string
  readonly files: readonly string[]
  readonly callback: string
}

/** What a carrier makes of requests, and the calls that it makes until delivery. */
interface Carrier {
  read(event: ReceivedCall['event']): Asked
  readonly answer: object
  readonly calls: readonly (string | object)[]
}

const TWILIO = { MessageSid: 'MM1', SmsSid: 'MM1', AccountSid: 'AC1', To: TO, From: FROM }
const VONAGE = { message_uuid: 'u1', to: TO.slice(1), from: FROM.slice(1), channel: 'mms' }

const CARRIERS: Readonly<Record<string, Carrier>> = {
  // https://www.twilio.com/docs/messaging/guides/track-outbound-message-status (2026-11-28)
  twilio: {
    read(event) {
      const form = new URLSearchParams(event)
      expect(Object.fromEntries(form)).toMatchObject({ To: TO, From: FROM })
      const [text, callback] = [form.get('Body')!, form.get('StatusCallback')!]
      return { text, files: form.getAll('MediaUrl'), callback }
    },
    answer: { sid: 'MM1', status: 'queued', num_media: '1' },
    calls: ['queued', 'sent', 'delivered'].map((status) =>
      String(new URLSearchParams({ ...TWILIO, MessageStatus: status, SmsStatus: status })),
    ),
  },
  // https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks (2026-11-26)
  telnyx: {
    read(event) {
      expect(event).toMatchObject({ from: FROM, to: TO, type: 'MMS', subject: 'Shop' })
      const { subject, text, media_urls: files, webhook_url: callback } = event
      return { text: `${subject}\n${text}`, files, callback }
    },
    answer: { data: { id: 'm1', type: 'MMS', to: [{ phone_number: TO, status: 'queued' }] } },
    calls: [
      ['message.sent', 'sent'],
      ['message.finalized', 'delivered'],
    ].map(([event_type, status]) => ({
      data: { event_type, payload: { type: 'MMS', to: [{ phone_number: TO, status }] } },
    })),
  },
  // https://developer.vonage.com/en/messages/concepts/messages-status-callbacks (2026-11-26)
  vonage: {
    read(event) {
      expect(event).toMatchObject({ channel: 'mms', message_type: 'image', to: TO.slice(1) })
      const { url, caption } = event.image
      return { text: caption, files: [url], callback: event.webhook_url }
    },
    answer: { message_uuid: 'u1' },
    calls: ['submitted', 'delivered'].map((status) => ({ ...VONAGE, status })),
  },
}

async function addCarrier(account: object, secrets: object) {
  const user = await gateway.makeUser()
  const made = await must(user, 'POST', PATH, { account, ready: true, ...secrets })
  await until('the carrier has its line for MMS', async () => {
    const [line] = (await must(user, 'GET', '/api/collections/lines/records')).items
    return line?.mms === 'on'
  })
  return { user, ...made }
}

/** The message that a send made, once it is delivered. */
async function untilDelivered(user: Client, id: string) {
  await until('the picture is delivered', async () => {
    const { status } = await findMessage(user, id)
    return status === 'delivered'
  })
  const message = await findMessage(user, id)
  expect(message).toMatchObject({ ...WORDS, status: 'delivered', segments: 0, error_message: '' })
  expect(message.attachments).toEqual([expect.stringMatching(/^parcel_0_\w+\.jpg$/)])
}

/** Fetches a picture as carriers do: some ask for its type and size first. */
async function fetchPicture(url: string): Promise<void> {
  const head = await fetch(url, { method: 'HEAD' })
  const found = await fetch(url)
  for (const { status, headers } of [head, found]) {
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('image/jpeg')
    expect(headers.get('content-length')).toBe(String(SMALL.length))
  }
  expect(Buffer.from(await found.arrayBuffer())).toEqual(SMALL)
}

describe.each(Object.entries(CARRIERS))('%s', (preset, { read, answer, calls }) => {
  test('fetches a picture and reports its delivery', async () => {
    const carrier = await startReceiver()
    onTestFinished(() => carrier.stop())
    carrier.answer(200, JSON.stringify(answer))
    const account = { preset, url: carrier.url, user: 'AC1', senders: [FROM] }
    const { user } = await addCarrier(account, { secret: 'sesame', ...SECRETS[preset] })
    const { body } = await sendForm(user, { recipients: TO, ...WORDS }, [SMALL])
    await until('the carrier is asked', () => carrier.told.some(({ event }) => event !== ''))
    const sends = carrier.told.filter(({ event }) => event !== '')
    expect(sends).toHaveLength(1)
    const { text, files, callback } = read(sends[0]!.event)
    expect(text).toBe('Shop\nYour parcel')
    expect(files).toHaveLength(1)
    await fetchPicture(files[0]!)
    for (const call of calls) {
      const isForm = typeof call === 'string'
      const content = isForm ? call : JSON.stringify({ ...call, ...readClientRef(sends[0]!.event) })
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
      const headers = { 'content-type': type, ...SIGNERS[preset]!.sign(callback, content) }
      const { status } = await fetch(callback, { method: 'POST', headers, body: content })
      expect(status).toBe(200)
    }
    await untilDelivered(user, body.message_ids[0])
  })
})

/** The field that Vonage repeats in its calls. */
const readClientRef = ({ client_ref }: ReceivedCall['event']) => client_ref && { client_ref }

test('a second pocketsms fetches a picture, its phone sends it, and the first learns of it', async () => {
  const shop = openMmsServer(behind)
  const upstream = await shop.makeShop()
  const named = { user: upstream.user.id, name: 'carrier' }
  const { key } = await must(upstream.user, 'POST', '/api/collections/api_keys/records', named)
  const account = { preset: 'pocketsms', url: behind.url }
  const { user, device, callback } = await addCarrier(account, { secret: key })
  const { secret: webhook_secret } = await must(
    upstream.user,
    'POST',
    '/api/collections/webhooks/records',
    {
      user: upstream.user.id,
      url: callback,
      events: ['message.delivered', 'message.failed', 'message.received'],
    },
  )
  await must(user, 'PUT', `${PATH}/${device}`, { account, webhook_secret })
  const { body } = await sendForm(user, { recipients: TO, ...WORDS }, [SMALL])
  const [claimed] = await until('the phone behind has the picture', async () => {
    const items = await shop.claim(upstream.phone)
    return items.length > 0 && items
  })
  expect(claimed).toMatchObject({ to: TO, ...WORDS, attachments: [{ type: 'image/jpeg' }] })
  await fetchPicture(claimed.attachments[0].url)
  const { id, attempt } = claimed
  const items = [{ id, attempt, status: 'delivered' }]
  await must(upstream.phone, 'POST', '/api/devices/report', { items })
  await untilDelivered(user, body.message_ids[0])
})
