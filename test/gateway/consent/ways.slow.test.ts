import { createHmac } from 'node:crypto'
import { setUp } from '../../programs/agent/carrier.ts'
import { type Client, must } from '../../support/server/server-with-devices.ts'
import { joinPhone } from '../../support/smsgate/smsgate-fixture.ts'
import { startApp, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'
import { until } from '../../support/until.ts'

const fixture = await startTwilioFixture()
const { gateway: server } = fixture
const app = await startApp()
afterEach(() => void app.calls.splice(0))

let numbers = 85_000_000
let clock = Date.now()
type Hear = (from: string, body: string) => Promise<unknown>

/** Each way by which a text of a person comes to the server, for a new account. */
const WAYS: Readonly<Record<string, (user: Client) => Promise<Hear>>> = {
  'a simulated phone': async (user) => {
    const phone = await server.pair(user, { platform: 'simulator' })
    return (from, body) => server.hear(phone, [[from, body]])
  },
  SMPP: async (user) => {
    const { smsc, received } = await setUp({ senders: ['+4930123'] })
    const agent = await server.pair(user, { platform: 'modem' })
    return async (from, body) => {
      const sent = { source_addr: from.slice(1), source_addr_ton: 1, destination_addr: '4930123' }
      await smsc.deliver({ ...sent, dest_addr_ton: 1, short_message: Buffer.from(body) })
      const text = received.at(-1)!
      const items = [{ ...text, received_at: new Date(++clock).toISOString() }]
      await must(agent, 'POST', '/api/devices/incoming', { items })
    }
  },
  'SMSGate’s app': async (user) => {
    const phone = await joinPhone({ mobileUrl: `${server.url}/api/mobile/v1` }, user)
    const { pathname } = new URL((await phone.call('GET', '/webhooks')).body[0].url)
    const key = (await phone.call('GET', '/settings')).body.webhooks.signing_key
    return async (sender, message) => {
      const payload = { messageId: `m${++clock}`, sender, message, simNumber: 1 }
      const event = { id: `e${clock}`, webhookId: 'x', event: 'sms:received', deviceId: 'x' }
      const receivedAt = new Date(clock).toISOString()
      const body = JSON.stringify({
        ...event,
        payload: { ...payload, phoneNumber: sender, receivedAt },
      })
      const timestamp = String(Math.floor(Date.now() / 1000))
      const signature = createHmac('sha256', key)
        .update(body + timestamp)
        .digest('hex')
      const headers = { 'x-timestamp': timestamp, 'x-signature': signature }
      expect(
        (await phone.fetch(server.url + pathname, { method: 'POST', headers, body })).status,
      ).toBe(204)
    }
  },
}

const bodiesTo = async (number: string) =>
  (
    await server.query(
      `select body from sms_messages where "to" = $1 and message_type = 'outgoing' order by _rowid`,
      [number],
    )
  ).flat()
const entriesOf = async (number: string) =>
  (
    await server.query(
      'select event, source, said from consents where number = $1 order by _rowid',
      [number],
    )
  ).map((row) => row.join(' '))
const isOptedOut = async (number: string) =>
  (await server.query('select opted_out from contacts where phone = $1', [number]))[0]?.[0]

test.each(Object.entries(WAYS))('JOIN, YES, HELP, STOP, HELP and START by %s', async (_, open) => {
  const user = await server.makeUser()
  await must(user, 'PATCH', `/api/collections/users/records/${user.id}`, { name: 'Shop' })
  const group = { user: user.id, name: 'News', join_words: 'JOIN', join_confirm: true }
  await must(user, 'POST', '/api/collections/contact_groups/records', group)
  const hear = await open(user)
  const number = `+4915${numbers++}`
  const texts = [
    [
      'JOIN',
      'Shop: Reply YES to get texts of News. Message rates may apply. HELP for help, STOP to end.',
    ],
    ['YES', 'Shop: You now get texts of News. Reply HELP for help, STOP to end.'],
    ['HELP', 'Shop: texts of News. Reply STOP to end them. Message rates may apply.'],
  ] as const
  for (const [i, [word]] of texts.entries()) {
    await hear(number, word)
    await until('the answer', async () => (await bodiesTo(number)).length === i + 1)
  }
  expect(await bodiesTo(number)).toEqual(texts.map(([, answer]) => answer))
  await hear(number, 'STOP')
  expect(await isOptedOut(number)).toBe(true)
  await hear(number, 'HELP')
  await until('the answer', async () => (await bodiesTo(number)).length > texts.length)
  expect(await bodiesTo(number)).toEqual([...texts, texts[2]].map(([, answer]) => answer))
  await hear(number, 'START')
  expect(await isOptedOut(number)).toBe(false)
  expect(await entriesOf(number)).toEqual([
    'opt_in keyword JOIN',
    'confirmed reply YES',
    'opt_out keyword STOP',
    'opt_in keyword START',
  ])
})

/** A phone whose number calls the app by Twilio's webhook. */
async function pairTwilioNumber(
  ann: Awaited<ReturnType<typeof fixture.makeUser>>,
): Promise<Client> {
  const phone = await server.pair(ann.user, {})
  const own = `+4916${numbers++}`
  await must(ann.user, 'PATCH', `/api/collections/devices/records/${phone.id}`, { phone: own })
  const listed = await ann.ask(
    'GET',
    `IncomingPhoneNumbers.json?PhoneNumber=${encodeURIComponent(own)}`,
  )
  const { sid } = listed.body.incoming_phone_numbers[0]
  await ann.ask('POST', `IncomingPhoneNumbers/${sid}.json`, {
    SmsUrl: `${app.url}/sms`,
    SmsMethod: 'POST',
  })
  return phone
}

test.each([
  ['JOIN', 'START'],
  ['YES', 'START'],
  ['HELP', 'HELP'],
  ['STOP', 'STOP'],
  ['START', 'START'],
])('Twilio’s webhook for %s has the OptOutType %s', async (word, type) => {
  const ann = await fixture.makeUser()
  const group = { user: ann.user.id, name: 'News', join_words: 'JOIN', join_confirm: true }
  await must(ann.user, 'POST', '/api/collections/contact_groups/records', group)
  const phone = await pairTwilioNumber(ann)
  await server.hear(phone, [[`+4915${numbers++}`, word]])
  await until('the call', () => app.calls.length > 0)
  expect(app.calls[0]!.form).toMatchObject({ Body: word, OptOutType: type })
})

test('a number with Twilio’s webhook answers HELP after STOP, and the webhook has both', async () => {
  const ann = await fixture.makeUser()
  const group = { user: ann.user.id, name: 'News', join_words: 'JOIN' }
  await must(ann.user, 'POST', '/api/collections/contact_groups/records', group)
  const phone = await pairTwilioNumber(ann)
  const number = `+4915${numbers++}`
  await server.hear(phone, [[number, 'STOP']])
  await server.hear(phone, [[number, 'HELP']])
  await until('the answer', async () => (await bodiesTo(number)).length > 0)
  await until('the calls', () => app.calls.length === 2)
  expect(app.calls.map(({ form }) => form.OptOutType).sort()).toEqual(['HELP', 'STOP'])
  expect(await bodiesTo(number)).toEqual([expect.stringContaining('texts of News. Reply STOP')])
  const sent = `select status from sms_messages where "to" = $1 and message_type = 'outgoing'`
  expect(await server.query(sent, [number])).toEqual([['assigned']])
})
