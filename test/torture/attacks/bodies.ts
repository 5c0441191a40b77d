import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type AttackRun, byGuest, byUser } from './attack.ts'
import { flood } from './flood.ts'
import { drip, head, hold, write } from './sockets.ts'

// Bodies that come slowly, never end, or have too many parts.

const BOUNDARY = 'frontier'
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const RECORDS = '/api/collections/boards/records'
const BLOCK = Buffer.alloc(64 << 10, 'a')

const part = (name: string, value: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

const manyParts = (count: number) =>
  Buffer.from(`${Array.from({ length: count }, (_, i) => part(`f${i}`, '1')).join('')}--${BOUNDARY}--\r\n`)

/** Starts a body of 100 MB on each connection, sends 99 of them, and then nothing. */
const unfinished = (run: AttackRun, connections: number, path: string, headers: Record<string, string>) =>
  hold(run, connections, async (socket) => {
    const bytes = 100 << 20
    await write(socket, head('POST', path, { 'content-length': String(bytes), ...headers }))
    for (let sent = 0; sent < bytes - (1 << 20); sent += BLOCK.length) {
      if (!(await write(socket, BLOCK))) return
    }
  })

/** The same chunk again and again, on 16 connections. */
const chunked = (run: AttackRun, chunk: string) =>
  hold(run, 16, async (socket) => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    await write(socket, head('POST', RECORDS, headers))
    const many = chunk.repeat(2_000)
    for (let i = 0; i < 400 && (await write(socket, many)); i++);
  })

export const bodies: readonly Attack[] = [
  byGuest('forms of 9,000 parts', (run) => {
    const body = manyParts(9_000)
    return flood(run, 4, () => ({ path: RECORDS, headers: FORM, body }))
  }),
  byUser('forms of 9,000 parts from a user', (run) => {
    const body = manyParts(9_000)
    const path = '/api/collections/albums/records'
    return flood(run, 4, () => ({ path, headers: FORM, body }))
  }),
  byGuest('forms of 1,000 parts', (run) => {
    const body = manyParts(1_000)
    return flood(run, 16, () => ({ path: RECORDS, headers: FORM, body }))
  }),
  byGuest('a form part with an endless head', (run) =>
    hold(run, 8, async (socket) => {
      await write(socket, head('POST', RECORDS, { ...FORM, 'content-length': '900000' }))
      await write(socket, `--${BOUNDARY}\r\ncontent-disposition: form-data; name="`)
      while (await write(socket, 'x-header: a\r\n'.repeat(500))) await sleep(5)
    }),
  ),
  byGuest('unfinished bodies of 100 MB', { isShort: true }, (run) =>
    unfinished(run, 8, '/api/batch', { 'content-type': 'application/json' }),
  ),
  byGuest('unfinished forms of 100 MB', (run) => unfinished(run, 8, '/api/batch', FORM)),
  byUser('unfinished uploads from a user', (run) =>
    unfinished(run, 12, '/api/batch', {
      'content-type': 'application/json',
      authorization: run.prepared.token!,
    }),
  ),
  byGuest('bodies a byte at a time', (run) =>
    hold(run, 300, async (socket) => {
      await write(
        socket,
        head('POST', RECORDS, { 'content-type': 'application/json', 'content-length': '60000' }),
      )
      await write(socket, '{"title":"')
      await drip(socket, ['a'], 50)
    }),
  ),
  byGuest('chunks of one byte', (run) => chunked(run, '1;ext=aaaaaaaa\r\n \r\n')),
  byGuest('chunks of 64 bytes', (run) => chunked(run, `40\r\n${' '.repeat(64)}\r\n`)),
]
