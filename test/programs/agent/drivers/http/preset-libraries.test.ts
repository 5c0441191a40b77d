import https from 'node:https'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { fillRequest } from '../../../../../src/programs/agent/drivers/http/fill-request.ts'
import { startReceiver } from '../../../../support/services/receiver.ts'
import { carrierLibrary, hasCarrierLibraries } from '../../../../third-party/carrier-libraries.ts'
import { CALLBACK, carrierOf, REF, TEXT } from './carrier-fixture.ts'

// What the carriers' own libraries send for a text, beside what the presets send.

const receiver = await startReceiver()
const back = `${CALLBACK}?ref=${REF}`
const ACCOUNT = 'AC00000000000000000000000000000000'

interface Sent {
  readonly path: string
  /** The credentials. */
  readonly authorization: string | undefined
  /** A form as text. */
  readonly body: unknown
}

/** For each carrier: its library sends TEXT to the receiver. */
const LIBRARIES: Readonly<Record<string, () => Promise<Sent | undefined>>> = {
  async twilio() {
    let sent: Sent | undefined
    // the library has no setting for its address
    const httpClient = {
      async request({ uri, username, password, data }: Record<string, string>) {
        const { pathname } = new URL(uri!)
        const basic = Buffer.from(`${username}:${password}`).toString('base64')
        sent = {
          path: pathname,
          authorization: `Basic ${basic}`,
          body: { ...(data as unknown as object) },
        }
        return { statusCode: 201, body: { sid: 'SM1' } }
      },
    }
    const client = carrierLibrary('twilio')(ACCOUNT, 'sesame', { httpClient })
    await client.messages.create({
      to: TEXT.to,
      from: '+4930123',
      body: TEXT.body,
      statusCallback: back,
    })
    return sent
  },
  async telnyx() {
    const { Telnyx } = carrierLibrary('telnyx')
    const client = new Telnyx({ apiKey: 'sesame', baseURL: `${receiver.url}/v2` })
    await client.messages.send({
      from: '+4930123',
      to: TEXT.to,
      text: TEXT.body,
      webhook_url: back,
    })
    return heard()
  },
  async vonage() {
    const { Messages } = carrierLibrary('@vonage/messages')
    const client = new Messages({ apiKey: 'acme', apiSecret: 'sesame' }, { apiHost: receiver.url })
    await client.send({
      channel: 'sms',
      messageType: 'text',
      to: '4915112345678',
      from: '4930123',
      text: TEXT.body,
      clientRef: REF,
      webhookUrl: back,
      webhookVersion: 'v1',
    })
    return heard()
  },
  async sinch() {
    const { SinchClient } = carrierLibrary('@sinch/sdk-core')
    const client = new SinchClient({
      servicePlanId: 'acme',
      apiToken: 'sesame',
      smsHostname: receiver.url,
    })
    await client.sms.batches.sendTextMessage({
      sendSMSRequestBody: {
        from: '+4930123',
        to: [TEXT.to],
        body: TEXT.body,
        delivery_report: 'per_recipient_final',
        callback_url: back,
        client_reference: REF,
      },
    })
    return heard()
  },
  async plivo() {
    const { Client } = carrierLibrary('plivo')
    const client = new Client('acme', 'sesame', { url: `${receiver.url}/v1/Account/acme` })
    await client.messages.create({
      src: '+4930123',
      dst: TEXT.to,
      text: TEXT.body,
      url: back,
      method: 'POST',
    })
    return heard()
  },
  async messagebird() {
    // the library has no setting for its address
    const { hostname, port } = new URL(receiver.url)
    const usual = https.globalAgent
    https.globalAgent = new https.Agent()
    https.globalAgent.createConnection = () => connect(Number(port), hostname)
    onTestFinished(() => {
      https.globalAgent = usual
    })
    const client = carrierLibrary('messagebird').initClient('sesame')
    const fields = { originator: '+4930123', recipients: ['4915112345678'], body: TEXT.body }
    await promisify(client.messages.create)({
      ...fields,
      datacoding: 'auto',
      reference: REF,
      reportUrl: back,
    })
    const sent = heard()
    // it joins the recipients by commas; its documentation has a list, as we send
    const body = sent?.body as { recipients: string }
    return sent && { ...sent, body: { ...body, recipients: body.recipients.split(',') } }
  },
  async seven() {
    // the library has no setting for its address
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
      fetch(url.replace('https://gateway.seven.io', receiver.url), init),
    )
    const { Client, SmsResource } = carrierLibrary('@seven.io/client')
    await new SmsResource(new Client({ apiKey: 'sesame' })).dispatch({
      to: ['4915112345678'],
      from: '4930123',
      text: TEXT.body,
      foreign_id: REF,
    })
    return heard()
  },
}

function heard(): Sent | undefined {
  const { path = '', headers = {}, event } = receiver.told.at(-1) ?? {}
  return { path, authorization: headers.authorization ?? headers['x-api-key'], body: event }
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe.runIf(hasCarrierLibraries())('the library of a carrier', () => {
  test.each(Object.keys(LIBRARIES))('%s sends the request of our preset', async (preset) => {
    receiver.told.length = 0
    receiver.answer(200, '{"data":{"id":"m1"},"message_uuid":"m1","id":"m1"}')
    const { url, headers, body } = fillRequest(
      carrierOf(preset, preset === 'twilio' ? { user: ACCOUNT } : {}),
      TEXT,
    )
    const {
      'content-type': type,
      'x-api-key': key,
      authorization = key,
    } = headers as Record<string, string>
    const form = type === 'application/x-www-form-urlencoded'
    const ours = form ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(String(body))
    expect(await LIBRARIES[preset]!()).toEqual({
      path: new URL(url).pathname,
      authorization,
      body: ours,
    })
  })
})
