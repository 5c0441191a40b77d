import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MemoryBudget } from '../../../src/http/body/memory-budget.ts'
import type { RunningServer } from '../../../src/server.ts'
import { withDevices } from '../../support/server/server-with-devices.ts'
import { startServer } from '../../support/server/start.ts'

const MIB = 1 << 20
const RECORDS = '/api/collections/contacts/records'

let server: RunningServer
/** Guests may send small bodies alone. */
let authorization: string
beforeAll(async () => {
  server = await startServer()
  authorization = (await withDevices(server)).superuser.token
})
afterAll(() => server.stop())

/** Memory outside of the heap, where bodies are, in MiB. */
const memory = () => process.memoryUsage().arrayBuffers / MIB
const openFiles = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)

/** Says that 32 MiB will come, and sends less. */
async function begin(head: string, start: string, sent: Buffer): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST ${RECORDS} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n${head}\r\n\r\n${start}`,
  )
  await new Promise<void>((resolve) => socket.write(sent, () => resolve()))
  return socket
}

const SENT = Buffer.alloc(12 * MIB, 'a')
const LENGTH = `Content-Length: ${32 * MIB}`
const FORM = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'

test.each([
  ['JSON', `Content-Type: application/json\r\n${LENGTH}`, '{"name":"'],
  ['JSON of unknown length', 'Content-Type: application/json\r\nTransfer-Encoding: chunked', 'c00000\r\n'],
  ['a form', `Content-Type: application/x-www-form-urlencoded\r\n${LENGTH}`, 'name='],
  ['a value of a form with parts', `Content-Type: multipart/form-data; boundary=x\r\n${LENGTH}`, FORM],
])('of many who send slowly not all is kept in memory: %s', { timeout: 60_000 }, async (_, head, start) => {
  const [before, files] = [memory(), openFiles()]
  const sockets: Socket[] = []
  for (let i = 0; i < 20; i++) sockets.push(await begin(head, start, SENT))
  // the last of it is on its way
  await expect.poll(memory, { timeout: 20_000 }).toBeLessThan(before + 160)
  const body = JSON.stringify({ name: 'b'.repeat(MIB) })
  const ours = await fetch(server.url + RECORDS, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  })
  expect(ours.status).toBe(400)
  await Promise.all(sockets.map((socket) => [socket.destroy(), once(socket, 'close')][1]))
  await expect.poll(openFiles, { timeout: 20_000 }).toBeLessThan(files + 10)
})

test('many who send all of it at once are all answered', { timeout: 120_000 }, async () => {
  const body = Buffer.from(`{"name":"${'b'.repeat(12 * MIB)}"}`)
  const ask = async () => {
    const socket = await begin(`Content-Type: application/json\r\nContent-Length: ${body.length}`, '', body)
    const [answer] = await once(socket, 'data')
    socket.destroy()
    return String(answer).slice(0, 12)
  }
  // more than is worked on at a time
  const answers = await Promise.all(Array.from({ length: 8 }, ask))
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 400']))
})

test('what comes in small chunks is the same', async () => {
  const bytes = Buffer.from(JSON.stringify({ name: 'x'.repeat(100_000) }))
  const body = new ReadableStream({
    async start(controller) {
      for (let at = 0; at < bytes.length; at += 70) controller.enqueue(bytes.subarray(at, at + 70))
      controller.close()
    },
  })
  const answer = await fetch(server.url + RECORDS, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ message: 'Failed to create record.' })
})

describe('room to work on bodies', () => {
  test('is given in the order of asking, and one that is larger than all waits until it is alone', async () => {
    const room = new MemoryBudget(10)
    const order: string[] = []
    const take = (name: string, bytes: number) =>
      room.acquire(bytes).then((leave) => {
        order.push(name)
        return leave
      })
    const [a, b] = [await take('a', 6), await take('b', 4)]
    const late = [take('c', 30), take('d', 1)] as const
    a()
    a()
    await Promise.resolve()
    expect(order).toEqual(['a', 'b'])
    b()
    const c = await late[0]
    expect(order).toEqual(['a', 'b', 'c'])
    c()
    await late[1]
    expect(order).toEqual(['a', 'b', 'c', 'd'])
  })

  test('is refused when it takes too long, and then keeps nobody out', async () => {
    const room = new MemoryBudget(10, 20)
    await room.acquire(6)
    const late = room.acquire(10)
    await expect(late).rejects.toMatchObject({ status: 503, retryAfterSeconds: 30 })
    await expect(room.acquire(4)).resolves.toBeTypeOf('function')
  })
})
