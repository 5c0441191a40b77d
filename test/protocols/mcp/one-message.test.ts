import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { basic, request } from '../../support/server/request.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// A message is one message, whichever API it came by: each API shows it, in its own words, in the same state.

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann, { phone: '+4915550000001' })
const values = { user: ann.id, name: 'all', scopes: ['all:any'], twilio: true }
const key = (await ann.call('POST', '/api/collections/api_keys/records', values)).body
const assistant = new McpClient({ name: 'test', version: '1.0.0' })
const requestInit = { headers: { authorization: `Bearer ${key.key}` } }
await assistant.connect(
  new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }),
)

afterAll(async () => {
  await assistant?.close()
})

const ask = async (
  ...what: [method: string, path: string, body: unknown, login: Record<string, string>]
) => (await request(server.url, ...what)).body
const smsgate = (method: string, path: string, body?: object) =>
  ask(method, `/api/3rdparty/v1/${path}`, body, basic(ann.id, key.key))
const twilio = (method: string, path: string, form?: Record<string, string>) =>
  ask(
    method,
    `/2010-04-01/Accounts/${key.account_sid}/${path}`,
    form && new URLSearchParams(form),
    basic(key.account_sid, key.auth_token),
  )
async function tool(name: string, args: Record<string, unknown>) {
  const { content } = await assistant.callTool({ name, arguments: args })
  return JSON.parse((content as { text: string }[])[0]!.text)
}

const sidOf = (id: string) => `SM${Buffer.from(id).toString('hex')}00`
const idOf = (sid: string) => Buffer.from(sid.slice(2, -2), 'hex').toString()

/** Sends a text by each API; answers the id of the message. */
const WAYS: Readonly<Record<string, (to: string, body: string) => Promise<string>>> = {
  'the API of pocketsms': async (to, body) =>
    (await ann.call('POST', '/api/sms/send', { recipients: [to], body })).body.message_ids[0],
  "SMSGate's API": async (to, body) =>
    (await smsgate('POST', 'messages', { phoneNumbers: [to], textMessage: { text: body } })).id,
  "Twilio's API": async (to, body) =>
    idOf((await twilio('POST', 'Messages.json', { To: to, Body: body })).sid),
  'an assistant': async (to, body) =>
    (await tool('send_message', { recipients: [to], body })).message_ids[0],
}

/** The state of a message as each API says it. */
async function statesOf(id: string): Promise<string[]> {
  const record = await ann.call('GET', `/api/collections/sms_messages/records/${id}`)
  const [ours, theirs, twilios] = [
    await tool('get_message', { id }),
    await smsgate('GET', `messages/${id}`),
    await twilio('GET', `Messages/${sidOf(id)}.json`),
  ]
  expect(theirs.textMessage.text).toBe(record.body.body)
  expect([ours.body, twilios.body]).toEqual([record.body.body, record.body.body])
  return [record.body.status, ours.status, theirs.state, twilios.status]
}

test.each(Object.keys(WAYS))(
  'a message sent by %s has the same state in all other APIs until its delivery',
  async (way) => {
    const id = await WAYS[way]!('+4915112345678', `By ${way}`)
    expect(await statesOf(id)).toEqual(['assigned', 'assigned', 'Pending', 'queued'])
    const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 1 })).body
    expect(items).toMatchObject([{ id, to: '+4915112345678', body: `By ${way}` }])
    expect(await statesOf(id)).toEqual(['sending', 'sending', 'Processed', 'sending'])
    const report = (status: string) =>
      phone.call('POST', '/api/devices/report', {
        items: [{ id, attempt: items[0].attempt, status }],
      })
    await report('sent')
    expect(await statesOf(id)).toEqual(['sent', 'sent', 'Sent', 'sent'])
    await report('delivered')
    expect(await statesOf(id)).toEqual(['delivered', 'delivered', 'Delivered', 'delivered'])
    await report('sent')
    expect(await statesOf(id)).toEqual(['delivered', 'delivered', 'Delivered', 'delivered'])
  },
)

test.each(Object.keys(WAYS))(
  'a message sent by %s can be canceled by each other API',
  async (way) => {
    const cancels = {
      'the API of pocketsms': (id: string) =>
        ann.call('POST', `/api/sms/messages/${id}/cancel`, {}),
      "SMSGate's API": (id: string) => smsgate('DELETE', `messages/${id}`),
      "Twilio's API": (id: string) =>
        twilio('POST', `Messages/${sidOf(id)}.json`, { Status: 'canceled' }),
      'an assistant': (id: string) => tool('cancel_message', { id }),
    }
    for (const cancel of Object.values(cancels)) {
      const id = await WAYS[way]!('+4915112345678', 'Hello')
      await cancel(id)
      expect(await statesOf(id)).toEqual(['failed', 'failed', 'Cancelled', 'canceled'])
    }
  },
)
