import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../support/database/postgres.ts'

/** What a line does with bytes. `deaf`: those to the server pass, its answers do not. */
type Mode = 'pass' | 'silent' | 'deaf' | 'slow'

const SLOW_MS = 2_000

/** A bad line between a browser and a server. */
export interface Proxy {
  readonly url: string
  mode: Mode
  /** Connections that there are go silent for ever; new ones do not. */
  silencePresent(): void
  /** Ends all connections with a reset. */
  reset(): void
  stop(): void
}

/** Opens a TCP proxy to the server of `url`. */
export async function startProxy(url: string): Promise<Proxy> {
  const [port, { hostname, port: target }] = [await freePort(), new URL(url)]
  const pairs = new Set<{ isSilent: boolean; near: Socket; far: Socket }>()
  const proxy = {
    url: `http://${hostname}:${port}`,
    mode: 'pass' as Mode,
    silencePresent() {
      for (const pair of pairs) pair.isSilent = true
    },
    reset() {
      for (const { near, far } of pairs) for (const socket of [near, far]) socket.resetAndDestroy()
    },
    stop() {
      proxy.reset()
      server.close()
    },
  }
  const server = createServer((near) => {
    const pair = { isSilent: false, near, far: connect(Number(target), hostname) }
    pairs.add(pair)
    const pass = (to: Socket, isAnswer: boolean) => (bytes: Buffer) => {
      const { mode } = proxy
      if (pair.isSilent || mode === 'silent' || (mode === 'deaf' && isAnswer)) return
      if (mode === 'slow') setTimeout(() => to.write(bytes), SLOW_MS)
      else to.write(bytes)
    }
    near.on('data', pass(pair.far, false))
    pair.far.on('data', pass(near, true))
    for (const [socket, other] of [
      [near, pair.far],
      [pair.far, near],
    ] as const)
      socket
        .on('error', () => {})
        .on('close', () => {
          pairs.delete(pair)
          other.destroy()
        })
  })
  await new Promise<void>((done) => server.listen(port, hostname, done))
  return proxy
}
