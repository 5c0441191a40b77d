import cluster from 'node:cluster'
import type { Server } from 'node:http'
import { type AddressInfo, type ListenOptions, Server as TcpServer } from 'node:net'
import { UserError } from '../../platform/api-errors.ts'
import { CONNECTION_OPTIONS } from './limit-connections.ts'

/** Maximum connections that wait to be accepted. Linux allows 4,096 by default. */
const BACKLOG = 4_096
/** Listeners on the port. Each accepts only one connection per turn of the event loop. */
const LISTENERS = process.platform === 'linux' ? 16 : 1

const SOCKET_OPTIONS = {
  allowHalfOpen: true,
  noDelay: true,
  highWaterMark: CONNECTION_OPTIONS.highWaterMark,
}

interface Listening {
  readonly url: string
  /** Stops accepting; resolves when the last connection closes. Node's `close` would also end idle ones. */
  stopAccepting(): Promise<void>
}

/**
 * Opens a port, 0 for any free one, or accepts from sockets that are `inherited`, as file descriptors. Throws
 * a UserError that says which of `host` and `port` is wrong.
 */
export async function listenOn(
  server: Server,
  { host, port }: Place,
  inherited: readonly number[] = [],
): Promise<Listening> {
  if (inherited.length > 0) return listenOnInherited(server, inherited)
  if (cluster.isWorker || LISTENERS === 1) {
    await openServer(server, { host, port })
    return { url: formatServerUrl(server), stopAccepting: () => closeServer(server) }
  }
  // with `reusePort`, as below, we would share a port with another server. This probe fails instead
  const probe = new TcpServer()
  await openServer(probe, { host, port })
  const chosen = (probe.address() as AddressInfo).port
  await closeServer(probe)
  const all = makeListeners(server, LISTENERS)
  await Promise.all(all.map((one) => openServer(one, { host, port: chosen, reusePort: true })))
  return { url: formatServerUrl(server), stopAccepting: () => closeAll(all) }
}

/** In a worker, the descriptors are those of its parent: `node:cluster` hands them to it. */
async function listenOnInherited(server: Server, inherited: readonly number[]): Promise<Listening> {
  const all = makeListeners(server, inherited.length)
  await Promise.all(all.map((one, i) => openInherited(one, inherited[i]!)))
  return { url: formatServerUrl(server), stopAccepting: () => closeAll(all) }
}

function openInherited(listener: TcpServer, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', ({ message }) =>
      reject(new UserError(`The socket that systemd passes cannot be used: ${message}.`)),
    )
    listener.listen({ fd, backlog: BACKLOG }, resolve)
  })
}

/** `server` and further listeners, which pass it their connections. */
function makeListeners(server: Server, count: number): readonly TcpServer[] {
  const others = Array.from({ length: count - 1 }, () => new TcpServer(SOCKET_OPTIONS))
  for (const other of others) other.on('connection', (socket) => server.emit('connection', socket))
  return [server, ...others]
}

const closeAll = async (all: readonly TcpServer[]) => void (await Promise.all(all.map(closeServer)))

type Place = { readonly host: string; readonly port: number }

function formatServerUrl(server: TcpServer): string {
  const { address, port, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const closeServer = (server: TcpServer): Promise<void> =>
  new Promise((resolve) => void TcpServer.prototype.close.call(server, () => resolve()))

/** Opens a port. Throws a UserError, which names the environment variable `setting` for the port. */
export function openServer(
  server: TcpServer,
  options: ListenOptions & Place,
  setting = 'PORT',
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainPortError(error, options, setting)))
    server.listen({ ...options, backlog: BACKLOG }, resolve)
  })
}

function explainPortError(error: Error, { host, port }: Place, setting: string): Error {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new UserError(`Port ${port} on ${host} is taken. Set ${setting} to another one.`)
  if (code === 'EACCES')
    return new UserError(`Port ${port} needs more rights. Set ${setting} to one above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UserError(`HOST ${host} is not an address of this machine.`)
  return error
}
