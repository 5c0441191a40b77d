import { type Attack, type AttackRun, asUser, byUser, must } from './attack.ts'
import { drip, flood, head, hold, write } from './sockets.ts'

// MCP: requests that are left open, large, slow, or call tools that cost much.

const LONG = 'é'.repeat(1_600)

const withKey = asUser(async (user, target) => {
  await target.addDevice(user)
  const recipients = Array.from({ length: 500 }, (_, i) => `+4915${1e7 + i}`)
  await must(user, 'POST', '/api/sms/send', { recipients, body: LONG })
  const values = { user: user.id, name: 'Assistant', scopes: ['all:any'] }
  const { key } = await must(user, 'POST', '/api/collections/api_keys/records', values)
  return { key }
})

const call = (name: string, args: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

const headersOf = (run: AttackRun) => ({
  authorization: `Bearer ${run.prepared.key}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})

const calls = (
  run: AttackRun,
  connections: number,
  messageOf: (turn: number) => unknown,
  isUnread = false,
) =>
  flood(run, connections, (turn) => ({
    path: '/mcp',
    headers: headersOf(run),
    body: JSON.stringify(messageOf(turn)),
    isUnread,
  }))

const FAR = 'user.sms_messages_via_user.user.sms_messages_via_user.user.sms_messages_via_user'
const tenOf = (one: (i: number) => object) => Array.from({ length: 10 }, (_, i) => one(i))

export const mcp: readonly Attack[] = [
  byUser(
    'MCP requests left open by the hundred',
    { isShort: true, prepare: withKey },
    async (run) => {
      // its own batch cancels the call, so that the SDK answers nothing
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
      const body = JSON.stringify([call('find_messages', {}), cancel])
      await hold(run, 500, async (socket) => {
        const headers = { ...headersOf(run), 'content-length': String(body.length) }
        await write(socket, head('POST', '/mcp', headers) + body)
        await run.end
      })
    },
  ),
  byUser('MCP sessions that are begun and never used', { prepare: withKey }, (run) =>
    calls(run, 16, () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      },
    })),
  ),
  byUser(
    'MCP batches, wrong arguments and long previews',
    { isShort: true, prepare: withKey },
    (run) => {
      const recipients = Array.from({ length: 1_000 }, (_, i) => `+4915${1e7 + i}`)
      const messages = [
        // near the 100,000 values and 10,000 keys that a body may have
        tenOf((i) => call('find_messages', { fields: Array(9_000).fill(1) }, i)),
        tenOf((i) => call('find_messages', { per_page: 100 }, i)),
        call('send_message', { recipients: Array.from({ length: 90_000 }, () => 1), body: 'x' }),
        call('preview_message', { recipients, body: LONG }),
        tenOf((i) =>
          call('send_template', { template_id: 'a', variables: { a: LONG.repeat(20) } }, i),
        ),
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      ]
      return calls(run, 8, (turn) => messages[turn % messages.length])
    },
  ),
  byUser('MCP finds that nobody reads', { prepare: withKey }, (run) =>
    calls(run, 100, () => tenOf((i) => call('find_messages', { per_page: 100 }, i)), true),
  ),
  byUser('MCP tools with expensive filters', { isShort: true, prepare: withKey }, (run) =>
    calls(run, 20, (turn) =>
      tenOf((i) =>
        call('find_messages', { filter: `${FAR}.body ?~ "zz%z${turn}x${i}"`, sort: '-body' }, i),
      ),
    ),
  ),
  byUser('MCP bodies a byte at a time', { prepare: withKey }, (run) =>
    hold(run, 300, async (socket) => {
      await write(socket, head('POST', '/mcp', { ...headersOf(run), 'content-length': '60000' }))
      await write(socket, '{"jsonrpc":"')
      await drip(socket, ['a'], 50)
    }),
  ),
]
