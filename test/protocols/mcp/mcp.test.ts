import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { makePhoto, servePicture } from '../../support/pictures.ts'
import { request } from '../../support/server/request.ts'
import {
  startServerWithDevices,
  type Client as User,
} from '../../support/server/server-with-devices.ts'

const open: { close(): Promise<void> }[] = []

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const ann = await server.makeUser()
const ben = await server.makeUser()
await server.pair(ann)

afterAll(async () => {
  for (const client of open) await client.close()
})

const ALL = ['all:any']

async function newKey(user: User, scopes: readonly string[]): Promise<string> {
  const values = { user: user.id, name: 'assistant', scopes }
  return (await user.call('POST', '/api/collections/api_keys/records', values)).body.key
}

async function connect(user: User, scopes: readonly string[] = ALL) {
  const requestInit = { headers: { authorization: `Bearer ${await newKey(user, scopes)}` } }
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }),
  )
  open.push(client)
  return client
}

/** What a tool answered: its JSON, or the text of its error. */
async function use(client: Client, name: string, args: object = {}) {
  const result = await client.callTool({ name, arguments: { ...args } })
  const [content] = result.content as { text: string }[]
  return result.isError ? content!.text : JSON.parse(content!.text)
}

test('a client of the 2026 protocol sends, reads and cancels a message', async () => {
  const client = await connect(ann)
  expect(client.getNegotiatedProtocolVersion()).toMatch(/^2026/)
  const sent = await use(client, 'send_message', {
    recipients: ['+4915112345678'],
    body: 'Your parcel arrives tomorrow.',
    scheduled_at: '2036-01-01T00:00:00Z',
  })
  expect(sent).toMatchObject({ recipients_count: 1, status: 'accepted' })
  const [id] = sent.message_ids
  expect(await use(client, 'get_message', { id })).toMatchObject({ id, to: '+4915112345678' })
  const found = await use(client, 'find_messages', { filter: 'body ~ "parcel"' })
  expect(found).toMatchObject({ totalItems: 1, items: [{ id }] })
  expect(await use(client, 'cancel_message', { id })).toMatchObject({ status: 'failed' })
  expect(await use(client, 'get_quota')).toMatchObject({ used: 0 })
  expect(await use(client, 'list_devices')).toMatchObject({
    totalItems: 1,
    items: [{ name: 'Phone' }],
  })
})

test('a client of the former SDK works, too', async () => {
  const requestInit = { headers: { 'x-api-key': await newKey(ann, ALL) } }
  const client = new FormerClient({ name: 'test', version: '1.0.0' })
  const transport = new FormerTransport(new URL(`${server.url}/mcp`), { requestInit })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  open.push(client)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('send_message')
  const preview = await client.callTool({ name: 'preview_message', arguments: { body: 'Hello' } })
  expect(preview.structuredContent).toMatchObject({ segments: 1, encoding: 'GSM-7' })
})

test('tools declare which of them change data', async () => {
  const { tools } = await (await connect(ann)).listTools()
  const writing = tools
    .filter(({ annotations }) => annotations?.destructiveHint)
    .map(({ name }) => name)
  expect(writing.sort()).toEqual(['cancel_message', 'send_message', 'send_template'])
  for (const { annotations } of tools)
    expect(annotations?.readOnlyHint).toBe(!annotations?.destructiveHint)
})

test('a repeated idempotency key sends once and is refused for another text', async () => {
  const client = await connect(ann)
  const text = { recipients: ['+4915112345678'], body: 'Once', idempotency_key: 'a-1' }
  const first = await use(client, 'send_message', text)
  expect(await use(client, 'send_message', text)).toEqual(first)
  const other = await use(client, 'send_message', { ...text, body: 'Twice' })
  expect(other).toBe('This Idempotency-Key was used for another request')
})

test('a picture is fetched and sent, once', async () => {
  const client = await connect(ann)
  const pictures = await servePicture(await makePhoto('whatsapp'))
  const call = {
    recipients: ['+4915112345679'],
    attachments: [`${pictures.url}/a.jpg`],
    idempotency_key: 'picture-1',
  }
  expect(await use(client, 'send_message', call)).toMatch(/can send MMS/)
  await server.query(`update lines set mms = 'on'`)
  const first = await use(client, 'send_message', call)
  expect(await use(client, 'send_message', call)).toEqual(first)
  const path = `/api/collections/sms_messages/records/${first.message_ids[0]}`
  const { body } = await ann.call('GET', path)
  expect(body).toMatchObject({ segments: 0, attachments: [expect.stringMatching(/\.jpg$/)] })
  expect(pictures.asked).toEqual(['/a.jpg'])
})

test('templates are listed as resources and can be sent', async () => {
  const values = { user: ann.id, name: 'Reminder', body: 'Hello {{who}}' }
  const { id } = (await ann.call('POST', '/api/collections/sms_templates/records', values)).body
  const client = await connect(ann)
  const { resources } = await client.listResources()
  expect(resources).toMatchObject([{ uri: `pocketsms://templates/${id}`, name: 'Reminder' }])
  const { contents } = await client.readResource({ uri: resources[0]!.uri })
  const shown = JSON.parse((contents[0] as { text: string }).text)
  expect(shown).toEqual({ id, name: 'Reminder', body: 'Hello {{who}}' })
  const recipients = ['+4915112345678']
  expect(await use(client, 'send_template', { recipients, template_id: id })).toBe(
    'Missing variable: who.',
  )
  const preview = await use(client, 'preview_message', {
    template_id: id,
    variables: { who: 'Ann' },
  })
  expect(preview.body).toBe('Hello Ann')
})

test('an assistant gives a name to a number without a contact', async () => {
  const client = await connect(ann)
  const recipients = ['+4915112345699']
  const given = { recipients, body: 'Hi {{name}}', variables: { name: 'Özlem' } }
  expect((await use(client, 'preview_message', given)).items).toMatchObject([{ body: 'Hi Özlem' }])
  const gap = { ...given, variables: {} }
  expect(await use(client, 'preview_message', gap)).toMatchObject({ missing: ['name'] })
  expect(await use(client, 'send_message', { ...gap, requires_values: true })).toBe(
    'Missing variable: name.',
  )
})

test('a key can use only the tools that its scopes allow', async () => {
  const reader = await connect(ann, ['messages:list'])
  expect(await use(reader, 'find_messages')).toHaveProperty('items')
  const refused = {
    send_message: [{ recipients: ['+4915112345678'], body: 'x' }, 'messages:send'],
    send_template: [{ recipients: ['+4915112345678'], template_id: 'x' }, 'messages:send'],
    preview_message: [{ body: 'x' }, 'messages:send'],
    get_quota: [{}, 'messages:send'],
    cancel_message: [{ id: 'x' }, 'messages:cancel'],
    get_message: [{ id: 'x' }, 'messages:read'],
    find_conversations: [{}, 'inbox:list'],
    list_devices: [{}, 'devices:list'],
  } as const
  for (const [name, [args, scope]] of Object.entries(refused)) {
    expect(await use(reader, name, args)).toBe(`This API key lacks the scope ${scope}.`)
  }
  expect((await reader.listResources()).resources).toEqual([])
  const { tools } = await reader.listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual(
    [...Object.keys(refused), 'find_messages'].sort(),
  )
})

test("a user cannot reach another user's messages and templates", async () => {
  const values = { user: ann.id, name: 'Private', body: 'Private' }
  const template = (await ann.call('POST', '/api/collections/sms_templates/records', values)).body
    .id
  const message = (await use(await connect(ann), 'find_messages')).items[0].id
  const client = await connect(ben)
  expect((await use(client, 'find_messages')).totalItems).toBe(0)
  expect((await use(client, 'find_messages', { filter: `id = "${message}"` })).totalItems).toBe(0)
  expect((await use(client, 'list_devices')).totalItems).toBe(0)
  expect(await use(client, 'get_message', { id: message })).toMatch(/wasn't found/)
  expect(await use(client, 'cancel_message', { id: message })).toBe('Message not found')
  expect((await client.listResources()).resources).toEqual([])
  await expect(client.readResource({ uri: `pocketsms://templates/${template}` })).rejects.toThrow()
  const send = { recipients: ['+4915112345678'], template_id: template }
  expect(await use(client, 'send_template', send)).toBe('Template does not belong to user.')
})

test('listen requests are refused, so no stream stays open', async () => {
  const client = await connect(ann)
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/)
})

test('/mcp accepts API keys only', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const accept = 'application/json, text/event-stream'
  const ask = (headers: object) => request(server.url, 'POST', '/mcp', ping, { accept, ...headers })
  for (const headers of [
    {},
    { authorization: ann.token },
    { authorization: `Bearer ${ann.token}` },
  ]) {
    const answer = await ask(headers)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="pocketsms"${'authorization' in headers ? ', error="invalid_token"' : ''}`,
    )
  }
  expect((await ask({ 'x-api-key': await newKey(ann, ALL) })).status).toBe(200)
})

test('invalid arguments are refused in plain words', async () => {
  const client = await connect(ann)
  expect(await use(client, 'find_messages', { filter: 'status =' })).toMatch(/filter or the sort/)
  expect(await use(client, 'find_messages', { per_page: 101 })).toMatch(/per_page/)
  const wrong = await use(client, 'send_message', { recipients: ['0151'], body: 'x' })
  expect(wrong).toBe('Phone number must be in E.164 format')
  const key = { 'x-api-key': await newKey(ann, ALL) }
  expect((await request(server.url, 'POST', '/mcp', '{"jsonrpc', key)).status).toBe(400)
})

test.each([
  [406, { accept: 'application/json' }],
  [415, { 'content-type': 'text/plain' }],
  [415, { 'content-encoding': 'lzma' }],
])('the description of /mcp has the %i for %o', async (status, headers) => {
  const all = {
    'x-api-key': await newKey(ann, ALL),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headers,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  // an answer that is not described fails each test
  const answer = await fetch(`${server.url}/mcp`, { method: 'POST', headers: all, body })
  expect(answer.status).toBe(status)
  await answer.text()
})
