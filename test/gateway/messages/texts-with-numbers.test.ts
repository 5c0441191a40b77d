import { reportAs, startApp, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'

// A phone with two SIMs: the device has the number of the first, each line its own.

const [FIRST, SECOND] = ['+4915550000001', '+4915550000002']
const FRIEND = '+4917712345678'

const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await fixture.gateway.pair(ann.user, {
  phone: FIRST,
  sims: [{ slot: 1 }, { slot: 2 }],
})
const app = await startApp()

const linesOf = async (device: string) => {
  const path = `/api/collections/lines/records?sort=slot&filter=${encodeURIComponent(`device="${device}"`)}`
  return (await ann.user.call('GET', path)).body.items
}
const lines = await linesOf(phone.id)
for (const [i, number] of [FIRST, SECOND].entries())
  await ann.user.call('PATCH', `/api/collections/lines/records/${lines[i]!.id}`, { number })
const recordOf = async ({ sid }: { sid: string }) => {
  const id = Buffer.from(sid.slice(2, 32), 'hex').toString()
  return (await ann.user.call('GET', `/api/collections/sms_messages/records/${id}`)).body
}
const hear = async (sim: number) => {
  const items = [{ from: FRIEND, body: `To ${sim}`, received_at: new Date().toISOString(), sim }]
  const { body } = await phone.call('POST', '/api/devices/incoming', { items })
  return (await ann.user.call('GET', `/api/collections/sms_messages/records/${body.ids[0]}`)).body
}
const list = async (query: Record<string, string>) =>
  (await ann.ask('GET', `Messages.json?${new URLSearchParams(query)}`)).body.messages

test('a text is answered from the number that received it, by that SIM', async () => {
  for (const [i, number] of [FIRST, SECOND].entries()) {
    const { to } = await hear(i + 1)
    expect(to).toBe(number)
    const { status, body } = await ann.send({ From: to, To: FRIEND })
    expect({ status, from: body.from }).toEqual({ status: 201, from: number })
    expect(await recordOf(body)).toMatchObject({ line: lines[i]!.id, device: phone.id })
    expect(await list({ From: number })).toMatchObject([{ sid: body.sid }])
    expect(await list({ To: number })).toMatchObject([{ direction: 'inbound', to: number }])
  }
})

test('a scheduled text shows the number of its SIM', async () => {
  const SendAt = new Date(Date.now() + 3_600_000).toISOString()
  const { body } = await ann.send({ From: SECOND, To: FRIEND, ScheduleType: 'fixed', SendAt })
  expect(body).toMatchObject({ status: 'scheduled', from: SECOND })
})

test("a disabled SIM's number cannot be used to send", async () => {
  const path = `/api/collections/lines/records/${lines[1]!.id}`
  await ann.user.call('PATCH', path, { enabled: false })
  expect((await ann.send({ From: SECOND })).body.code).toBe(21606)
  await ann.user.call('PATCH', path, { enabled: true })
})

test("TwiML can send from a SIM's number, and the callback names it", async () => {
  const message = `<Message from="${SECOND}" action="${app.url}/status">Thank you</Message>`
  app.answer(200, `<Response>${message}</Response>`)
  const numbers = (await ann.ask('GET', 'IncomingPhoneNumbers.json')).body.incoming_phone_numbers
  await ann.ask('POST', `IncomingPhoneNumbers/${numbers[0].sid}.json`, { SmsUrl: `${app.url}/sms` })
  await hear(1)
  await app.heard(1)
  await expect
    .poll(() => list({ From: SECOND }), { timeout: 10_000 })
    .toContainEqual(expect.objectContaining({ direction: 'outbound-reply', body: 'Thank you' }))
  const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 50 })).body
  const reply = items.find(({ body }: { body: string }) => body === 'Thank you')
  expect(reply.sim).toBe(2)
  await reportAs(phone, [reply], 'sent')
  await app.heard(2)
  expect(app.calls[1]!.form).toMatchObject({ From: SECOND, MessageStatus: 'sent' })
})

test("a device's new number becomes the number of its only line, unless the line has its own", async () => {
  const device = await fixture.gateway.pair(ann.user, { phone: '+4915550000031' })
  const setPhone = (number: string) =>
    ann.user.call('PATCH', `/api/collections/devices/records/${device.id}`, { phone: number })
  await setPhone('+4915550000032')
  const [line] = await linesOf(device.id)
  expect(line.number).toBe('+4915550000032')
  await ann.user.call('PATCH', `/api/collections/lines/records/${line.id}`, {
    number: '+4915550000033',
  })
  await setPhone('+4915550000034')
  expect((await linesOf(device.id))[0].number).toBe('+4915550000033')
  await ann.user.call('PATCH', `/api/collections/devices/records/${phone.id}`, {
    phone: '+4915550000035',
  })
  expect((await linesOf(phone.id)).map(({ number }: { number: string }) => number)).toEqual([
    FIRST,
    SECOND,
  ])
})
