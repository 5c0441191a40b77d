import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Budget } from '../../../src/platform/limits/byte-budget.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Bodies of one client that never end, while others send theirs.

const MIB = 1 << 20
const RECORDS = '/api/collections/contacts/records'
const FORM = 'multipart/form-data; boundary=x'
const FILE = '--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
const VALUE = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'

const server = await startServerWithDevices()

const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  const taken = () => admission.memory.taken + admission.temporaryFiles.taken
  await vi.waitFor(() => expect(taken()).toBe(0), 20_000)
})

/** Begins a body; answers the first bytes of the answer. */
function begin(token: string, head: string, start: string, sent: Buffer): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  const lines = ['POST /api/batch HTTP/1.1', 'Host: a', `Authorization: ${token}`, head]
  socket.write(`${lines.join('\r\n')}\r\n\r\n${start}`)
  socket.write(sent)
  return once(socket, 'data').then(([data]) => String(data))
}

const LENGTH = `Content-Length: ${32 * MIB}`
const SENT = Buffer.alloc(12 * MIB, 'a')
const CHUNK = `${SENT.length.toString(16)}\r\n`
const { memory, temporaryFiles } = admission
const IN_CHUNKS = 'Content-Type: application/json\r\nTransfer-Encoding: chunked'

/** Begins many bodies of one account; checks that it has its share, and is told so after some seconds. */
async function fill(head: string, start: string, budget: Budget, share: number): Promise<void> {
  const { token } = await server.makeUser()
  const bodies = Array.from({ length: 20 }, () => begin(token, head, start, SENT))
  const refused = await Promise.race(bodies)
  expect(refused).toContain('HTTP/1.1 429')
  expect(refused.toLowerCase()).toContain('retry-after: 10')
  expect(refused).toContain(`Your share of ${budget === memory ? 'memory' : 'temporary files'}`)
  expect(budget.taken).toBeLessThanOrEqual(share * MIB)
  expect(budget.taken).toBeGreaterThan((share / 3) * MIB)
}

test.each([
  ['JSON', () => [fill(`Content-Type: application/json\r\n${LENGTH}`, '{"name":"', memory, 96)]],
  ['a value of a form', () => [fill(`Content-Type: ${FORM}\r\n${LENGTH}`, VALUE, memory, 96)]],
  [
    'JSON in chunks, and files of another account',
    () => [
      fill(IN_CHUNKS, CHUNK, memory, 96),
      fill(`Content-Type: ${FORM}\r\n${LENGTH}`, FILE, temporaryFiles, 128),
    ],
  ],
])('unfinished bodies of one account leave memory for other accounts: %s', async (_, fillAll) => {
  const honest = await server.makeUser()
  await Promise.all(fillAll())
  const body = new FormData()
  body.set('data', 'b'.repeat(4 * MIB))
  body.set('file', new Blob(['b'.repeat(4 * MIB)]))
  for (const sent of [body, JSON.stringify({ name: 'b'.repeat(4 * MIB) })]) {
    const type = typeof sent === 'string' ? { 'content-type': 'application/json' } : {}
    const headers = { authorization: honest.token, ...type }
    const answer = await fetch(server.url + RECORDS, { method: 'POST', headers, body: sent })
    expect(answer.status).toBe(400)
  }
})

test('complete bodies of one account are processed one after the other', async () => {
  const { token } = await server.makeUser()
  const headers = { authorization: token, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'b'.repeat(MIB) })
  const ask = () => fetch(server.url + RECORDS, { method: 'POST', headers, body })
  const answers = await Promise.all(Array.from({ length: 8 }, ask))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
})
