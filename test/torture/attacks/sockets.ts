import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AttackRun } from './attack.ts'

/** A plain TCP connection of the attack. Errors and ends are counted by `rawFlood` alone. */
export function openSocket(run: AttackRun, localAddress = run.address): Socket {
  const { hostname, port } = new URL(run.url)
  const socket = connect({ host: hostname, port: Number(port), localAddress })
  socket.on('error', () => {})
  return socket
}

/** Head of a request with these headers, without a body. */
export const head = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

/** Writes bytes on new connections again and again, on so many at once. Counts the first status of each. */
export async function rawFlood(
  run: AttackRun,
  connections: number,
  bytesOf: (turn: number) => string | Buffer,
  patienceMs = 2_000,
): Promise<void> {
  let turn = 0
  const shoot = async () => {
    while (!run.isOver()) {
      run.count(await exchange(run, bytesOf(turn++), patienceMs))
      await sleep(5)
    }
  }
  await Promise.race([Promise.all(Array.from({ length: connections }, shoot)), run.end])
}

const statusIn = (data: Buffer) =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 0)

/** Writes and reads until the server closes or `patienceMs` are over; answers the first status. */
export function exchange(
  run: AttackRun,
  bytes: string | Buffer,
  patienceMs: number,
): Promise<number | string> {
  const socket = openSocket(run)
  let status: number | undefined
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(status ?? 'closed')
    }
    const timer = setTimeout(done, patienceMs)
    socket.once('close', done)
    socket.on('data', (data) => {
      status ??= statusIn(data)
    })
    socket.write(bytes)
  })
}

/**
 * Keeps so many connections open, each fed by `feed` until the attack ends; a closed one is opened again.
 * Counts the first status of each that is read.
 */
export async function hold(
  run: AttackRun,
  connections: number,
  feed: (socket: Socket, i: number) => Promise<unknown>,
  addressOf = (_: number) => run.address,
): Promise<void> {
  const keep = async (i: number) => {
    await sleep(i % Math.max(500, connections / 2)) // not all in one moment
    while (!run.isOver()) {
      const socket = openSocket(run, addressOf(i))
      const closed = new Promise((resolve) => socket.once('close', resolve))
      run.count('opened')
      const fed = feed(socket, i)
      // a listener would read what the attack leaves unread
      if (!socket.isPaused()) socket.once('data', (data) => run.count(statusIn(data)))
      await Promise.race([fed.then(() => closed), closed])
      run.count('closed')
      await sleep(200)
    }
  }
  await Promise.race([Promise.all(Array.from({ length: connections }, (_, i) => keep(i))), run.end])
}

/** Writes with respect for backpressure. False when the connection is closed. */
export async function write(socket: Socket, bytes: string | Buffer): Promise<boolean> {
  if (socket.destroyed) return false
  if (!socket.write(bytes))
    await new Promise<void>((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done)
        resolve()
      }
      socket.once('drain', done).once('close', done)
    })
  return !socket.destroyed
}

/** Writes one of `pieces` each `pauseMs`, over and over. */
export async function drip(
  socket: Socket,
  pieces: readonly string[],
  pauseMs: number,
): Promise<void> {
  for (let i = 0; await write(socket, pieces[i % pieces.length]!); i++) await sleep(pauseMs)
}

/** One request of a flood. */
export interface Shot {
  readonly method?: string
  readonly path: string
  /** By default that of the user whom the attack prepared, if any. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** The client hangs up so many milliseconds after it asked. */
  readonly hangUpMs?: number
  /** The answer is never read; the connection stays open until the attack ends. */
  readonly isUnread?: boolean
  /** The client address, instead of the attack's. */
  readonly address?: string
}

/** Sends requests on so many connections until the attack ends. `shotOf` gets the number of the request. */
export async function flood(
  run: AttackRun,
  connections: number,
  shotOf: (turn: number) => Shot,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  let turn = 0
  const shoot = async () => {
    while (!run.isOver()) {
      const answer = await send(run, shotOf(turn++), agent)
      run.count(answer)
      if (typeof answer === 'string') await sleep(5)
    }
  }
  const all = Promise.all(Array.from({ length: connections }, shoot))
  await Promise.race([all, run.end])
}

/** Sends one request; answers its status, or what came instead. Never throws. */
export function send(run: AttackRun, shot: Shot, agent?: Agent): Promise<number | string> {
  const { method = shot.body === undefined ? 'GET' : 'POST', path, headers, body } = shot
  const { token = run.prepared.token } = shot
  const { hostname, port } = new URL(run.url)
  const all = {
    ...(body !== undefined && {
      'content-type': 'application/json',
      ...(!headers?.['transfer-encoding'] && { 'content-length': Buffer.byteLength(body) }),
    }),
    ...(token && { authorization: token }),
    ...headers,
  }
  run.count('asked')
  const isPrivate = shot.isUnread || shot.hangUpMs !== undefined
  const options = {
    hostname,
    port,
    method,
    path,
    headers: all,
    localAddress: shot.address ?? run.address,
  }
  return new Promise((resolve) => {
    const asking = request({ ...options, agent: isPrivate ? false : agent })
    asking.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    asking.once('response', (answer) => void finish(answer, shot, run).then(resolve))
    if (shot.hangUpMs !== undefined) {
      setTimeout(() => {
        asking.destroy()
        resolve('hung up')
      }, shot.hangUpMs)
    }
    asking.end(body)
  })
}

async function finish(
  answer: IncomingMessage,
  { isUnread }: Shot,
  run: AttackRun,
): Promise<number> {
  const status = answer.statusCode ?? 0
  answer.on('error', () => {})
  if (answer.headers['content-type']?.startsWith('text/event-stream')) {
    // it would not end
    answer.destroy()
  } else if (isUnread && status === 200) {
    // a little is read and then nothing more
    answer.pause()
    run.count('unread')
    await run.end
  } else {
    answer.resume()
    await new Promise((resolve) => answer.once('close', resolve))
  }
  return status
}

/** A flood of GET requests: `paths` in turn. */
export const floodPaths = (run: AttackRun, connections: number, paths: readonly string[]) =>
  flood(run, connections, (turn) => ({ path: paths[turn % paths.length]! }))

/** A query string of these parameters. */
export const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
