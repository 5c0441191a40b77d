import { createHmac } from 'node:crypto'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { mms, mmsPoster, type SentFile } from '../../support/smsgate/mms.ts'
import { joinPhone } from '../../support/smsgate/smsgate-fixture.ts'
import { until } from '../../support/until.ts'

const SECRET = 'sesame'
const server = await startServerWithDevices()
const ann = await server.makeUser()
const post = await mmsPoster(await joinPhone({ mobileUrl: `${server.url}/api/mobile/v1` }, ann))
const agent = await server.pair(ann, { platform: 'android' })
const simulator = await server.pair(ann, { platform: 'simulator' })
const group = { user: ann.id, name: 'News', join_words: 'JOIN', join_confirm: true }
await must(ann, 'POST', '/api/collections/contact_groups/records', group)
const answer = { user: ann.id, match: 'words', value: 'HOURS', body: 'From 9 to 5', enabled: true }
await must(ann, 'POST', '/api/collections/auto_answers/records', answer)
const account = { preset: 'sinch', url: 'https://eu.sms.api.sinch.com/xms/v1/plan' }
const { callback } = await must(ann, 'POST', '/api/devices/carriers', {
  account,
  secret: 'token',
  webhook_secret: SECRET,
})

/** The headers of a call by Sinch. */
function sign(content: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', SECRET)
    .update(`${content}.n1.${timestamp}`)
    .digest('base64')
  return {
    'x-sinch-webhook-signature': signature,
    'x-sinch-webhook-signature-nonce': 'n1',
    'x-sinch-webhook-signature-timestamp': timestamp,
  }
}

let numbers = 50_000_000
let clock = Date.now()
interface Mms {
  readonly from: string
  readonly subject: string
  readonly body: string
}
const FILES: SentFile[] = [['a.jpg', Buffer.from('not read'), 'image/jpeg']]

/** The ways by which a message with a subject arrives. */
const WAYS = {
  'the SMSGate app': async ({ from: sender, subject, body }: Mms) => {
    const receivedAt = new Date(++clock).toISOString()
    expect(await post(mms(FILES, { sender, subject, body, receivedAt }))).toBe(204)
  },
  'an agent': async (text: Mms) => {
    const item = { ...text, body: `${text.subject}\n${text.body}` }
    const items = [{ ...item, received_at: new Date(++clock).toISOString() }]
    await must(agent, 'POST', '/api/devices/incoming', { items })
  },
  'a simulated phone': async (text: Mms) => {
    const item = { ...text, body: [text.subject, text.body].filter(Boolean).join('\n') }
    const items = [{ ...item, received_at: new Date(++clock).toISOString() }]
    await must(simulator, 'POST', '/api/devices/incoming', { items })
  },
  'a carrier': async ({ from, subject, body: message }: Mms) => {
    const body = { subject, message, media: [] }
    const call = { type: 'mo_media', id: `m${++clock}`, from, to: '+4930123', body }
    const content = JSON.stringify(call)
    const response = await fetch(server.url + new URL(callback).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sign(content) },
      body: content,
    })
    expect(response.status).toBe(200)
  },
} as const satisfies Record<string, (text: Mms) => Promise<void>>

const isOptedOut = async (phone: string) =>
  (
    await server.query('select opted_out from contacts where "user" = $1 and phone = $2', [
      ann.id,
      phone,
    ])
  ).flat()[0]
const eventsOf = async (number: string) =>
  (
    await server.query(
      'select event from consents where "user" = $1 and number = $2 order by _rowid',
      [ann.id, number],
    )
  ).flat()
const answersTo = async (number: string) =>
  (
    await server.query(
      'select body from sms_messages where "user" = $1 and "to" = $2 order by created, _rowid',
      [ann.id, number],
    )
  ).flat()

describe.each(Object.entries(WAYS))('An MMS that %s reports', (_, receive) => {
  const from = () => `+4915${numbers++}`

  test.each(['Our holidays', 'Re:', '(no subject)'])(
    'an MMS with the subject %s opts out and in',
    async (subject) => {
      const number = from()
      await receive({ from: number, subject, body: 'STOP' })
      expect(await isOptedOut(number)).toBe(true)
      await receive({ from: number, subject, body: 'start' })
      expect(await isOptedOut(number)).toBe(false)
    },
  )

  test('an MMS with a subject joins a group, and confirms', async () => {
    const number = from()
    await receive({ from: number, subject: 'Re: News', body: 'Join' })
    await until('the question', async () => (await answersTo(number)).length === 1)
    await receive({ from: number, subject: 'Re: News', body: 'YES\nSent from my phone' })
    expect(await eventsOf(number)).toEqual(['opt_in', 'confirmed'])
  })

  test('an MMS with a subject asks for help, and gets the answer to a keyword', async () => {
    const number = from()
    await receive({ from: number, subject: 'Photo', body: 'HELP' })
    await until('the answer to HELP', async () => (await answersTo(number)).length === 1)
    expect(await answersTo(number)).toEqual([expect.stringContaining('Reply STOP')])
    const other = from()
    await receive({ from: other, subject: 'Photo', body: 'Hours?' })
    await until('the answer', async () => (await answersTo(other)).length === 1)
    expect(await answersTo(other)).toEqual(['From 9 to 5'])
  })

  test('an MMS with a sentence below its subject opts the person neither out nor in', async () => {
    const number = from()
    await receive({ from: number, subject: 'Bus', body: 'Where do you stop' })
    expect(await isOptedOut(number)).toBeUndefined()
    expect(await eventsOf(number)).toEqual([])
  })
})
