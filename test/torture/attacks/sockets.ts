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
export const head = (method: string, path: string, headers: Readonly<Record<string, string>> = {}): string =>
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
      status ??= Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 0)
    })
    socket.write(bytes)
  })
}

/** Keeps so many connections open, each fed by `feed` until the attack ends; a closed one is opened again. */
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
      await Promise.race([feed(socket, i).then(() => closed), closed])
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
export async function drip(socket: Socket, pieces: readonly string[], pauseMs: number): Promise<void> {
  for (let i = 0; await write(socket, pieces[i % pieces.length]!); i++) await sleep(pauseMs)
}
