import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const token = (await server.makeUser()).token
const notes = {
  name: 'notes',
  type: 'base',
  createRule: '',
  updateRule: '@request.auth.id != ""',
  fields: [{ name: 'text', type: 'text', max: 400_000 }],
}
expect((await server.superuser.call('POST', '/api/collections', notes)).status).toBe(200)

const LARGE = JSON.stringify({ text: 'a'.repeat(100_000), requests: [] })
const RECORDS = '/api/collections/notes/records'

const send = (method: string, path: string, body: string, authorization = '') =>
  fetch(server.url + path, { method, headers: { 'content-type': 'application/json', authorization }, body })

/** A request that says how long its body is; nothing of it is sent yet. */
function announce(bytes: number) {
  const { hostname, port } = new URL(server.url)
  const headers = { 'content-type': 'application/json', 'content-length': bytes }
  const path = '/api/collections/contacts/records'
  return request({ hostname, port, method: 'POST', path, headers, agent: false })
}

describe('a body of 100 kB', () => {
  test.each([
    ['a record where guests may make none', 'POST', '/api/collections/contacts/records'],
    ['a change where guests may make none', 'PATCH', `${RECORDS}/a`],
    ['a sign-in', 'POST', '/api/collections/users/auth-with-password'],
    ['a subscription', 'POST', '/api/realtime'],
    ['a pairing', 'POST', '/api/devices/pair'],
  ])('of a guest is too large: %s', async (_, method, path) => {
    const answer = await send(method, path, LARGE)
    expect(answer.status).toBe(413)
  })

  test('of a guest is refused before it is sent', async () => {
    const asked = announce(100 << 20)
    asked.flushHeaders()
    const [{ statusCode }] = await once(asked, 'response')
    asked.on('error', () => undefined).destroy()
    expect(statusCode).toBe(413)
  })

  test('of a guest is not read to its end when it is refused', async () => {
    const asked = announce(64 << 20)
    asked.on('error', () => undefined)
    const [socket] = (await once(asked, 'socket')) as [Socket]
    const answered = once(asked, 'response')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const piece = Buffer.alloc(1 << 20, 'a')
    const write = () => {
      if (!socket.destroyed) asked.write(piece, (error) => !error && write())
    }
    write()
    const [answer] = (await answered) as [IncomingMessage]
    expect(answer.resume().statusCode).toBe(413)
    await closed
    expect(socket.bytesWritten).toBeLessThan(32 << 20)
  })

  test('of a guest that does not say how large it is ends where it is too large', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(LARGE))
        controller.close()
      },
    })
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' }
    const answer = await fetch(`${server.url}/api/collections/contacts/records`, options as RequestInit)
    expect(answer.status).toBe(400)
  })

  test('of a guest is taken where guests may make records, alone and in a batch', async () => {
    expect((await send('POST', RECORDS, LARGE)).status).toBe(200)
    const part = { method: 'POST', url: RECORDS, body: { text: 'a'.repeat(100_000) } }
    const batch = await send('POST', '/api/batch', JSON.stringify({ requests: [part] }))
    expect(batch.status, await batch.text()).toBe(200)
  })

  test('of a user is read', async () => {
    const answer = await send('POST', '/api/collections/contacts/records', LARGE, token)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ message: 'Failed to create record.' })
  })
})

test('where guests may write, more than the fields take is too large', async () => {
  const text = 'a'.repeat(5 << 20)
  expect((await send('POST', RECORDS, JSON.stringify({ text }))).status).toBe(413)
  expect((await send('POST', '/api/batch', JSON.stringify({ text }))).status).toBe(413)
})
