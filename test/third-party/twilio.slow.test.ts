import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makePhoto, servePicture } from '../support/pictures.ts'
import { mms, mmsPoster } from '../support/smsgate/mms.ts'
import { joinPhone } from '../support/smsgate/smsgate-fixture.ts'
import {
  type AppCall,
  pairPhone,
  receive,
  report,
  startApp,
  startTwilioFixture,
  type TwilioUser,
} from '../support/twilio/twilio-fixture.ts'
import {
  hasNode,
  hasPython,
  hasSignalWire,
  NODE_PACKAGE,
  PYTHON,
  SIGNALWIRE_PACKAGE,
} from './twilio-libraries.ts'

const NUMBER = '+4915550000001'
const TO = '+4915112345601'
const run = promisify(execFile)

const fixture = await startTwilioFixture()
const ann: TwilioUser = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)
const allowMms = () =>
  fixture.gateway.query(`update lines set mms = 'on' where device = $1`, [phone.id])
await allowMms()
const app = await startApp()

/** A status callback as the app got it. */
async function statusCallback(): Promise<AppCall> {
  app.calls.length = 0
  await ann.send({ StatusCallback: `${app.url}/status?it=1'2&ü=ä` })
  await report(phone, 'sent')
  return (await app.heard(1))[0]!
}

test.skipIf(!hasSignalWire())(
  "SignalWire's library for Node sends, fetches and lists messages",
  async () => {
    const { RestClient } = createRequire(import.meta.url)(SIGNALWIRE_PACKAGE)
    const inner = new RestClient.RequestClient()
    const httpClient = {
      // the library always calls https
      request: (options: { uri: string }) =>
        inner.request({ ...options, uri: options.uri.replace(/^https:/, 'http:') }),
    }
    const { host } = new URL(fixture.gateway.url)
    const client = RestClient(ann.sid, ann.token, { signalwireSpaceUrl: host, httpClient })
    const made = await client.messages.create({ to: TO, from: NUMBER, body: 'From SignalWire' })
    expect(made).toMatchObject({ status: 'queued', to: TO, from: NUMBER })
    expect(await client.messages(made.sid).fetch()).toMatchObject({ body: 'From SignalWire' })
    expect(await client.messages.list({ to: TO, limit: 1 })).toMatchObject([{ sid: made.sid }])
    await report(phone, 'sent')
    await client.messages(made.sid).remove()
  },
)

describe.skipIf(!hasNode())("Twilio's library for Node", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the package is installed for this test alone
  let twilio: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let client: any
  const clientOf = (token: string) => {
    const inner = new twilio.RequestClient()
    const httpClient = {
      request: (options: { uri: string }) =>
        inner.request({
          ...options,
          uri: options.uri.replace('https://api.twilio.com', fixture.gateway.url),
        }),
    }
    return twilio(ann.sid, token, { httpClient })
  }
  beforeAll(() => {
    twilio = createRequire(import.meta.url)(NODE_PACKAGE)
    client = clientOf(ann.token)
  })

  test("Twilio's library for Node sends, fetches, schedules, cancels, redacts and deletes messages", async () => {
    const made = await client.messages.create({ to: TO, from: NUMBER, body: 'From Node' })
    expect(made).toMatchObject({
      status: 'queued',
      from: NUMBER,
      numSegments: '1',
      errorCode: null,
      dateSent: null,
    })
    expect(made.dateCreated).toBeInstanceOf(Date)
    expect((await client.messages(made.sid).fetch()).sid).toBe(made.sid)
    const planned = await client.messages.create({
      to: TO,
      messagingServiceSid: `MG${ann.sid.slice(2)}`,
      body: 'Later',
      scheduleType: 'fixed',
      sendAt: new Date(Date.now() + 3_600_000),
      validityPeriod: 600,
    })
    expect(planned.status).toBe('scheduled')
    expect((await client.messages(planned.sid).update({ status: 'canceled' })).status).toBe(
      'canceled',
    )
    expect((await client.messages(planned.sid).update({ body: '' })).body).toBe('')
    expect(await client.messages(planned.sid).remove()).toBe(true)
    expect(await client.messages(made.sid).media.list()).toEqual([])
    await report(phone, 'sent', 'delivered')
    expect(await client.messages(made.sid).fetch()).toMatchObject({ status: 'delivered' })
  })

  test("Twilio's library for Node sends pictures", async () => {
    const pictures = await servePicture(await makePhoto('whatsapp'))
    const mediaUrl = [`${pictures.url}/a.jpg`, `${pictures.url}/b.jpg`]
    const made = await client.messages.create({
      to: '+4915112345602',
      from: NUMBER,
      body: 'Look',
      mediaUrl,
    })
    expect(made).toMatchObject({ status: 'queued', numMedia: '2' })
    const media = await client.messages(made.sid).media.list()
    expect(media).toMatchObject([{ contentType: 'image/jpeg' }, { contentType: 'image/jpeg' }])
    await report(phone, 'sent')
  })

  test("Twilio's library for Node lists and fetches the media of an MMS", async () => {
    const payload = mms([['a.vcf', Buffer.from('BEGIN:VCARD\r\nEND:VCARD\r\n')]])
    const sender = await joinPhone({ mobileUrl: `${fixture.gateway.url}/api/mobile/v1` }, ann.user)
    expect(await (await mmsPoster(sender))(payload)).toBe(204)
    const [message] = await client.messages.list({ from: payload.sender })
    expect(message).toMatchObject({ numMedia: '1', direction: 'inbound' })
    const [medium] = await client.messages(message.sid).media.list({ limit: 5 })
    expect(medium).toMatchObject({ contentType: 'text/vcard', parentSid: message.sid })
    const fetched = await client.messages(message.sid).media(medium.sid).fetch()
    expect(fetched.toJSON()).toEqual(medium.toJSON())
    await ann.user.call(
      'DELETE',
      `/api/collections/devices/records/${sender.store.registration!.id}`,
    )
  })

  test("Twilio's library for Node lists messages in pages and by date", async () => {
    for (let i = 0; i < 4; i++)
      await client.messages.create({ to: TO, from: NUMBER, body: `Page ${i}` })
    await report(phone, 'sent')
    const all = await client.messages.list({ to: TO, pageSize: 2 })
    expect(all).toHaveLength(5)
    expect(await client.messages.list({ to: TO, limit: 3 })).toHaveLength(3)
    expect(await client.messages.list({ to: TO, limit: 5_000 })).toHaveLength(5)
    expect(
      await client.messages.list({
        to: TO,
        dateSent: new Date(new Date().toISOString().slice(0, 10)),
      }),
    ).toHaveLength(5)
    expect(await client.messages.list({ dateSentAfter: new Date(Date.now() + 60_000) })).toEqual([])
    expect(
      await client.messages.list({ to: TO, dateSentBefore: new Date(Date.now() + 60_000) }),
    ).toHaveLength(5)
    const page = await client.messages.page({ to: TO, pageSize: 2 })
    expect(
      (await (await page.nextPage()).previousPage()).instances.map(
        ({ sid }: { sid: string }) => sid,
      ),
    ).toEqual(page.instances.map(({ sid }: { sid: string }) => sid))
  })

  test("Twilio's library for Node reads and changes numbers and the account", async () => {
    const [number] = await client.incomingPhoneNumbers.list({ phoneNumber: NUMBER })
    expect(number.capabilities).toMatchObject({ sms: true, voice: false })
    const one = client.incomingPhoneNumbers(number.sid)
    expect((await one.update({ smsUrl: `${app.url}/sms` })).smsUrl).toBe(`${app.url}/sms`)
    expect((await one.fetch()).phoneNumber).toBe(NUMBER)
    expect((await client.api.v2010.accounts(ann.sid).fetch()).status).toBe('active')
    expect(await client.api.v2010.accounts.list()).toHaveLength(1)
    const reply = new twilio.twiml.MessagingResponse()
    reply.message('Thank you & goodbye')
    app.answer(200, reply.toString())
    app.calls.length = 0
    await receive(phone, '+4915117770001', 'Hello')
    const [call] = await app.heard(1)
    const signature = call!.headers['x-twilio-signature']
    expect(twilio.validateRequest(ann.token, signature, call!.url, call!.form)).toBe(true)
    await expect
      .poll(async () => (await client.messages.list({ to: '+4915117770001' })).length)
      .toBe(1)
    await one.update({ smsUrl: '' })
    app.answer(204)
  })

  test("Twilio's library for Node gets errors of its own class with Twilio's codes", async () => {
    const code = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error) => [error.constructor.name, error.status, error.code],
      )
    expect(await code(client.messages.create({ to: TO, from: NUMBER }))).toEqual([
      'RestException',
      400,
      21602,
    ])
    expect(await code(client.messages.create({ to: '1', body: 'x' }))).toEqual([
      'RestException',
      400,
      21211,
    ])
    expect(await code(client.messages('SMxyz').fetch())).toEqual(['RestException', 404, 20404])
    expect(await code(clientOf('wrong').messages.list())).toEqual(['RestException', 401, 20003])
  })

  test("Twilio's library for Node validates the signature of a callback and refuses a changed one", async () => {
    const { url, form, headers } = await statusCallback()
    const signature = headers['x-twilio-signature']
    expect(twilio.validateRequest(ann.token, signature, url, form)).toBe(true)
    expect(
      twilio.validateRequest(ann.token, signature, url, { ...form, MessageStatus: 'failed' }),
    ).toBe(false)
  })
})

const PYTHON_MEDIA = `
import json, os
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

class Http(TwilioHttpClient):
    def request(self, method, url, *args, **more):
        url = url.replace("https://api.twilio.com", os.environ["GATEWAY"])
        return super().request(method, url, *args, **more)

client = Client(os.environ["ACCOUNT_SID"], os.environ["AUTH_TOKEN"], http_client=Http())
made = client.messages.create(
    to="+4915112345603", from_="${NUMBER}", body="Look", media_url=os.environ["MEDIA"].split())
read = client.messages(made.sid).fetch()
media = client.messages(made.sid).media.list()
print(json.dumps([made.status, read.num_media, [one.content_type for one in media]]))
`

test.skipIf(!hasPython())("Twilio's library for Python sends pictures", async () => {
  await allowMms()
  const pictures = await servePicture(await makePhoto('whatsapp'))
  const env = {
    ...process.env,
    GATEWAY: fixture.gateway.url,
    ACCOUNT_SID: ann.sid,
    AUTH_TOKEN: ann.token,
    MEDIA: `${pictures.url}/a.jpg ${pictures.url}/b.jpg`,
  }
  const { stdout } = await run(PYTHON, ['-c', PYTHON_MEDIA], { env })
  expect(JSON.parse(stdout)).toEqual(['queued', '2', ['image/jpeg', 'image/jpeg']])
  await report(phone, 'sent')
})

/** A block of the page, which begins with this line. */
function exampleOf(first: string): string {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'twilio.md'), 'utf8')
  const block = [...page.matchAll(/^```text\n([\s\S]*?)^```$/gm)].find(([, text]) =>
    text!.startsWith(`${first}\n`),
  )
  if (!block) throw new Error(`docs/twilio.md has no block ${first}`)
  return block[1]!
}

test.each([
  ['// Node', hasNode, process.execPath, join(NODE_PACKAGE, '..', '..', 'example.mjs')],
  ['# Python', hasPython, PYTHON, join(PYTHON, '..', 'example.py')],
])('the example %s of docs/twilio.md sends a text', async (first, isThere, program, file) => {
  if (!isThere()) return
  writeFileSync(file, exampleOf(first))
  const env = {
    ...process.env,
    GATEWAY: fixture.gateway.url,
    ACCOUNT_SID: ann.sid,
    AUTH_TOKEN: ann.token,
  }
  expect((await run(program, [file], { env })).stdout.trim()).toBe('queued')
})
