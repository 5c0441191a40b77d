import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { removeLeftovers } from '../../../src/files/spool.ts'
import { type ServerWithDevices, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const MIB = 1 << 20
const folder = mkdtempSync(join(tmpdir(), 'pocketsms-files-'))
let server: ServerWithDevices
beforeAll(async () => {
  vi.stubEnv('TMPDIR', folder)
  server = await startServerWithDevices()
})
afterAll(async () => {
  await server.stop()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** Bytes of the temporary files that this process has open; they have no name any more. */
function temporaryBytes(): number {
  let bytes = 0
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      const path = `/proc/self/fd/${fd}`
      if (readlinkSync(path).startsWith(folder)) bytes += statSync(path).size
    } catch {
      // closed meanwhile
    }
  }
  return bytes
}

/** Begins a batch of 120 MiB and sends `bytes` of it. */
function begin(token: string, bytes: number): { socket: Socket; answer: Promise<string> } {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => {})
  const answer = once(socket, 'data').then(([data]) => String(data))
  answer.catch(() => {})
  const head = ['POST /api/batch HTTP/1.1', 'Host: a', `Authorization: ${token}`]
  head.push('Content-Type: application/json', `Content-Length: ${120 * MIB}`)
  socket.write(`${head.join('\r\n')}\r\n\r\n{"requests":"`)
  socket.write(Buffer.alloc(bytes, 'a'))
  return { socket, answer }
}

test.skipIf(process.platform !== 'linux')(
  'who sends many large bodies at once fills no disk, and keeps nobody else out',
  { timeout: 90_000 },
  async () => {
    const [greedy, honest] = [await server.makeUser(), await server.makeUser()]
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, temporaryBytes())
    }, 10)
    const sent = Array.from({ length: 8 }, () => begin(greedy.token, 100 * MIB))
    const refused = await Promise.race(sent.map(({ answer }) => answer))
    expect(refused).toContain('HTTP/1.1 429')
    expect(refused.toLowerCase()).toContain('retry-after: 10')
    const body = JSON.stringify({ requests: [], padding: 'a'.repeat(100 * MIB) })
    const answer = await fetch(`${server.url}/api/batch`, {
      method: 'POST',
      headers: { authorization: honest.token, 'content-type': 'application/json' },
      body,
    })
    expect(answer.status, await answer.text()).toBe(400)
    clearInterval(watch)
    expect(most).toBeGreaterThan(200 * MIB)
    expect(most).toBeLessThan(270 * MIB)
    for (const { socket } of sent) socket.destroy()
    await expect.poll(temporaryBytes, { timeout: 20_000 }).toBe(0)
  },
)

test('what a killed process left is removed, what another server may use is not', async () => {
  const [old, fresh] = ['old', 'new'].map((name) => join(folder, `pocketsms-upload-${name}`))
  mkdirSync(old!)
  mkdirSync(fresh!)
  const before = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(old!, before, before)
  await removeLeftovers()
  expect(readdirSync(folder).filter((name) => name.startsWith('pocketsms-upload-'))).toEqual([
    'pocketsms-upload-new',
  ])
  rmSync(fresh!, { recursive: true })
})
