import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type AttackRun, byGuest, byUser } from './attack.ts'
import { drip, flood, head, hold, rawFlood, write } from './sockets.ts'

// Connections: too many, slow, unread, or with something that is no HTTP.

const UPGRADE = {
  connection: 'Upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}
const JSON_TYPE = { 'content-type': 'application/json' }

/** What different servers read differently, and what is no request. */
const MALFORMED = [
  `${head('POST', '/api/batch', { ...JSON_TYPE, 'content-length': '5', 'transfer-encoding': 'chunked' })}0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 50\r\n\r\n{}`,
  `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding:\x0bchunked\r\n\r\n0\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(15_000)}\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999999999999\r\n\r\n{}`,
  `GET / HTTP/1.1\r\nhost: a\r\n folded: b\r\n\r\n`,
  `GET / HTTP/1.1\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`,
  `GET http://169.254.169.254/ HTTP/1.1\r\nhost: a\r\n\r\n`,
  `GET //api/health HTTP/1.1\r\nhost: a\r\n\r\n`,
  `GET /\x00 HTTP/1.1\r\nhost: a\r\n\r\n`,
  `GET * HTTP/9.9\r\nhost: a\r\n\r\n`,
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\0'.repeat(200)}`,
  `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\xff'.repeat(300)}`,
  `GET / HTTP/1.1\r\nhost: a\r\n${'a: b\r\n'.repeat(2_000)}\r\n`,
  `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`,
  `${'\r\n'.repeat(20_000)}GET / HTTP/1.1\r\nhost: a\r\n\r\n`,
]

const UPGRADES = [
  head('CONNECT', 'localhost:22'),
  head('CONNECT', '/api/health', { 'content-length': '1000000' }),
  head('GET', '/api/realtime', { ...UPGRADE, upgrade: 'websocket' }) +
    '\x81\xfe\xff\xff'.repeat(500),
  head('GET', '/', { ...UPGRADE, upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' }),
  head('GET', '/', { ...UPGRADE, upgrade: `${'websocket, '.repeat(1_000)}x` }),
  head('OPTIONS', '*'),
  head('TRACE', '/'),
  head('POST', '/api/batch', { ...JSON_TYPE, expect: '100-continue', 'content-length': '60000' }),
  head('POST', '/api/batch', { ...JSON_TYPE, expect: 'anything', 'content-length': '60000' }),
]

export const connections: readonly Attack[] = [
  byGuest('slow heads on 500 connections', (run) =>
    hold(run, 500, async (socket) => {
      await write(socket, 'GET /api/health HTTP/1.1\r\nhost: a\r\n')
      await drip(socket, ['x', '-', 'a', ':', ' ', 'b', '\r\n'], 50)
    }),
  ),
  byGuest('pipelined requests with unread answers', { isShort: true }, (run) => {
    const many = head('GET', '/api/openapi.json').repeat(200)
    return hold(run, 50, async (socket) => {
      socket.pause()
      while (await write(socket, many)) await sleep(10)
    })
  }),
  byGuest('pipelined sign-ins', (run) => {
    const body = JSON.stringify({ identity: 'nobody@example.com', password: 'wrong-password' })
    const headers = { ...JSON_TYPE, 'content-length': String(body.length) }
    const one = head('POST', '/api/collections/users/auth-with-password', headers) + body
    return rawFlood(run, 20, () => one.repeat(100))
  }),
  byGuest('3,000 connections', (run) => hold(run, 3_000, () => run.end)),
  byGuest('connections that come and go', (run) =>
    rawFlood(run, 100, () => head('GET', '/api/health'), 20),
  ),
  byGuest('malformed HTTP', (run) =>
    rawFlood(run, 20, (turn) => Buffer.from(MALFORMED[turn % MALFORMED.length]!, 'latin1'), 300),
  ),
  byGuest('upgrades, CONNECT and unusual methods', (run) =>
    rawFlood(run, 20, (turn) => Buffer.from(UPGRADES[turn % UPGRADES.length]!, 'latin1'), 300),
  ),
  byGuest(
    'unknown paths',
    {
      isShort: true,
      async inspect({ root }, seconds) {
        const { totalItems } = (await root.call('GET', '/api/logs?perPage=1')).body
        if (totalItems > MAX_LOGS_PER_SECOND * seconds)
          throw new Error(`${totalItems} rows of _logs in ${seconds} s`)
        return `${totalItems} rows of _logs`
      },
    },
    (run) => flood(run, 8, (turn) => ({ path: `/api/nothing/${turn}-${Math.random()}` })),
  ),
  byGuest('health and readiness floods', (run) =>
    flood(run, 16, (turn) => ({
      path: ['/api/health', '/api/ready', '/metrics', '/docs', '/_/'][turn % 5]!,
    })),
  ),
]

const MAX_LOGS_PER_SECOND = 100

// Bodies that come slowly, never end, or have too many parts.

const BOUNDARY = 'frontier'
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const RECORDS = '/api/collections/boards/records'
const BLOCK = Buffer.alloc(64 << 10, 'a')

/** As many parts as a form may have: with one more, it is refused. */
const PARTS = 1_000
const FILE_HEAD = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`

const part = (name: string, value: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

const manyParts = (value: string) =>
  Buffer.from(
    `${Array.from({ length: PARTS }, (_, i) => part(`f${i}`, value)).join('')}--${BOUNDARY}--\r\n`,
  )

interface Unfinished {
  readonly connections: number
  readonly path: string
  /** What the head says. */
  readonly bytes: number
  readonly headers: Record<string, string>
  /** The first bytes of the body. */
  readonly begin?: string
}

/** Starts a body on each connection, sends all but the last mebibyte or quarter, and then nothing. */
const unfinished = (
  run: AttackRun,
  { connections, path, bytes, headers, begin = '' }: Unfinished,
) =>
  hold(run, connections, async (socket) => {
    await write(socket, head('POST', path, { 'content-length': String(bytes), ...headers }) + begin)
    const last = Math.min(1 << 20, bytes / 4)
    for (let sent = 0; sent < bytes - last; sent += BLOCK.length) {
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
  byUser('forms of 1,000 parts from a user', (run) => {
    const body = manyParts('a'.repeat(4_000))
    const path = '/api/collections/albums/records'
    return flood(run, 4, () => ({ path, headers: FORM, body }))
  }),
  byGuest('forms of 1,000 parts', (run) => {
    const body = manyParts('1')
    return flood(run, 16, () => ({ path: RECORDS, headers: FORM, body }))
  }),
  byGuest('a form part with an endless head', (run) =>
    hold(run, 8, async (socket) => {
      await write(socket, head('POST', RECORDS, { ...FORM, 'content-length': '900000' }))
      await write(socket, `--${BOUNDARY}\r\ncontent-disposition: form-data; name="`)
      while (await write(socket, 'x-header: a\r\n'.repeat(500))) await sleep(5)
    }),
  ),
  byGuest('unfinished bodies where guests write', { isShort: true }, (run) =>
    unfinished(run, { connections: 50, path: RECORDS, bytes: 1_000_000, headers: JSON_TYPE }),
  ),
  byGuest('unfinished forms where guests write', (run) =>
    unfinished(run, {
      connections: 20,
      path: RECORDS,
      bytes: 5_500_000,
      headers: FORM,
      begin: FILE_HEAD,
    }),
  ),
  byUser('unfinished uploads from a user', (run) =>
    unfinished(run, {
      connections: 12,
      path: '/api/batch',
      bytes: 100 << 20,
      headers: { ...JSON_TYPE, authorization: run.prepared.token! },
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
