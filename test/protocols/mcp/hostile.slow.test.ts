import { makeUserHolder } from '../../../src/engine/collections/collection.ts'
import { NO_REQUEST } from '../../../src/engine/request/request.ts'
import { makeAccountSender } from '../../../src/gateway/base/make-sender.ts'
import { answerMcp } from '../../../src/protocols/mcp/server.ts'
import { request } from '../../support/server/request.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Keys with few scopes, and calls that would cost much. In the words of the revision of March 2025, which has
// batches and needs no handshake.

const server = await startServerWithDevices()
const ann = await server.makeUser()
const all = await newKey(['all:any'])
const phone = await server.pair(ann)
const text = {
  from: '+4915112345678',
  body: 'Your code is 4711',
  received_at: new Date().toISOString(),
}
await phone.call('POST', '/api/devices/incoming', { items: [{ ...text, external_id: 'a' }] })

async function newKey(scopes: readonly string[]): Promise<string> {
  const values = { user: ann.id, name: 'assistant', scopes }
  return (await ann.call('POST', '/api/collections/api_keys/records', values)).body.key
}

const callOf = (name: string, args: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

const ask = (key: string, message: unknown) =>
  request(server.url, 'POST', '/mcp', message, { ...HEADERS, 'x-api-key': key })

/** What each call of a batch answered, its text. */
async function batch(key: string, messages: readonly object[]): Promise<string[]> {
  const { text } = await ask(key, messages)
  const events = text.split('\n').filter((line) => line.startsWith('data: {'))
  return events.map((line) => JSON.parse(line.slice(6)).result.content[0].text)
}

const tool = async (key: string, name: string, args: object) =>
  (await batch(key, [callOf(name, args)]))[0]!

const found = async (key: string, filter: string) =>
  JSON.parse(await tool(key, 'find_messages', { filter })).items.map(
    ({ body }: { body: string }) => body,
  )

await tool(all, 'send_message', { recipients: ['+4915112345678'], body: 'Hello' })

test('incoming texts are visible only to keys with the inbox scope', async () => {
  const lister = await newKey(['messages:list', 'messages:read'])
  const reader = await newKey(['messages:list', 'inbox:list'])
  expect((await found(reader, 'body != ""')).sort()).toEqual(['Hello', 'Your code is 4711'])
  const comments = ['body != "" // all of them', 'body != "" // ) || (body != ""']
  for (const filter of ['body != ""', '', 'body != "" || 1 = 1', ...comments])
    expect(await found(lister, filter), filter).toEqual(['Hello'])
  // a bracket would end the group that the filter is put into
  const filter = 'body != "") || (body != ""'
  expect(await tool(lister, 'find_messages', { filter })).toMatch(/filter or the sort/)
  const { items } = JSON.parse(
    await tool(reader, 'find_messages', { filter: 'message_type = "incoming"' }),
  )
  expect(await tool(lister, 'get_message', { id: items[0].id })).toMatch(/wasn't found/)
})

test('a filter or sort through a relation reaches only records that the scopes open', async () => {
  const lister = await newKey(['messages:list', 'inbox:list'])
  for (const query of [
    { filter: 'user.devices_via_user.name ?~ "P"' },
    { filter: 'body != "" && (id = strftime("%Y", user.created) || id != "")' },
    { sort: 'user.created' },
    { filter: 'user.webhooks_via_user.secret ~ "a"' },
    { filter: 'sms_events_via_message.status ?= "failed"' },
  ])
    for (const key of [lister, all])
      expect(await tool(key, 'find_messages', query)).toMatch(/filter or the sort/)
  for (const query of [{ filter: 'device.name ~ "P"' }, { sort: 'device.name' }])
    expect(await tool(lister, 'find_messages', query)).toMatch(/filter or the sort/)
  expect(await found(lister, 'created >= @yearStart && body:lower ~ "hello"')).toEqual(['Hello'])
  const both = await newKey(['messages:list', 'devices:list'])
  for (const key of [all, both])
    expect(await found(key, 'device.name ~ "P" && body = "Hello"')).toEqual(['Hello'])
})

test('a list of 10,000 wrong arguments is refused at its first fault', async () => {
  const recipients = Array.from({ length: 10_000 }, () => true)
  const refused = await tool(all, 'send_message', { recipients, body: 'x' })
  expect(refused).toContain('recipients[0]')
  expect(refused.length).toBeLessThan(300)
  expect(await tool(all, 'cancel_message', { id: 'a\0' })).toContain('NUL')
})

test("filters are charged to their account's budget", async () => {
  const said: string[] = []
  for (let turn = 0; turn < 60 && !said.some((text) => text.includes('new filters')); turn++) {
    const calls = Array.from({ length: 10 }, (_, i) =>
      callOf('find_messages', { filter: `=${turn}${i}`.padEnd(3_400, 'x') }, i),
    )
    said.push(...(await batch(all, calls)))
  }
  expect(said.some((text) => text.includes('new filters'))).toBe(true)
})

test('batches are limited to ten calls, and other HTTP methods are refused', async () => {
  const calls = Array.from({ length: 11 }, (_, i) => callOf('get_quota', {}, i))
  const refusal = { status: 400, body: { message: 'A batch has at most 10 calls' } }
  expect(await ask(all, calls)).toMatchObject(refusal)
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers } = await fetch(`${server.url}/mcp`, {
      method,
      headers: { 'x-api-key': all },
    })
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  }
})

/** Cancels a call of its own batch: the SDK never answers it. */
const CANCEL = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }

test('a call that never finishes ends with its request', async () => {
  const { services } = server.server
  const { store, sending, log } = services
  const ending = new AbortController()
  const init = { method: 'POST', headers: HEADERS, signal: ending.signal }
  const asSender = () => Promise.reject(new Error())
  const caller = {
    sender: makeAccountSender(ann.id, ann.id),
    memory: { keep: () => {}, holder: makeUserHolder(ann.id) },
    may: () => true,
    asSender,
    reading: () => NO_REQUEST,
  }
  const calls = [callOf('get_quota', {}), CANCEL]
  const asked = new Request('http://localhost/mcp', init)
  const answer = await answerMcp({ ...sending, store, log }, caller, asked, calls)
  const text = answer.text().catch(() => 'ended')
  ending.abort()
  expect(await text).not.toContain('result')
})
