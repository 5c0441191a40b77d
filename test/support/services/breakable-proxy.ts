import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../database/postgres.ts'

export type BreakableProxy = Awaited<ReturnType<typeof makeBreakableProxy>>

/**
 * A TCP connection to the server of `url` that can be pulled out and put in again, not plugged in yet.
 * `breaks`: asked for each piece that comes back, whether the connection ends instead.
 */
export async function makeBreakableProxy(
  url: string,
  breaks: (piece: Buffer) => boolean = () => false,
) {
  const target = new URL(url)
  const through = new URL(url)
  const port = await freePort()
  through.hostname = '127.0.0.1'
  through.port = String(port)
  through.searchParams.delete('host')
  const socket = target.searchParams.get('host')
  const ends = new Set<Socket>()
  let server: Server | undefined
  let isStalled = false
  const plugIn = (near: Socket) => {
    const far = socket
      ? dial(join(socket, `.s.PGSQL.${target.port}`))
      : dial(Number(target.port), target.hostname)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      if (!isStalled) end.pipe(other)
      end.on('error', () => other.destroy())
      end.on('close', () => ends.delete(end))
    }
    far.prependListener('data', (piece) => {
      if (breaks(piece)) for (const end of [near, far]) end.destroy()
    })
  }
  return {
    /** The server's URL, by way of the cable. */
    url: through.href,
    /** Ends all connections; new ones are refused. */
    async disconnect() {
      await new Promise<void>((resolve) => {
        if (!server) return resolve()
        server.close(() => resolve())
        for (const end of ends) end.destroy()
      })
      server = undefined
      isStalled = false
    },
    /** From now to the next `disconnect` nothing passes, and no connection ends. */
    stall() {
      isStalled = true
      for (const end of ends) end.unpipe()
    },
    /** New connections pass again; those that stalled stay open. */
    resume() {
      isStalled = false
    },
    async connect() {
      if (server) return
      server = createServer(plugIn)
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    },
  }
}
