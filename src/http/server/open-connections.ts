import type { Socket } from 'node:net'
import type { Holder } from '../../admission/holder.ts'

/** The connections of a network. */
interface Network {
  count: number
  /** Those that nobody works for, the longest idle first. */
  readonly idle: Set<Socket>
}

/** A connection, with the network that it came from. */
interface Connection {
  readonly all: OpenConnections
  readonly origin: Holder
  network: Holder
  requests: number
}

const known = new WeakMap<Socket, Connection>()

/** Counts a connection as idle while its request only waits for news. Behind a proxy it is the client's. */
export function waitForNews(socket: Socket, client: Holder): void {
  known.get(socket)?.all.wait(socket, client)
}

/** When there are too many connections, the network that has most loses its longest idle one. */
export class OpenConnections {
  readonly #max: number
  readonly #networks = new Map<Holder, Network>()
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  /** False when there is no room: all connections are at work. */
  add(socket: Socket, origin: Holder): boolean {
    if (this.#count >= this.#max && !this.#makeRoom()) return false
    known.set(socket, { all: this, origin, network: origin, requests: 0 })
    this.#enter(origin).idle.add(socket)
    socket.once('close', () => this.#remove(socket))
    return true
  }

  /** Requests of a connection may wait behind another. */
  beginRequest(socket: Socket): void {
    const connection = known.get(socket)
    if (!connection || connection.requests++ > 0) return
    this.#move(socket, connection, connection.origin)
    this.#networks.get(connection.network)!.idle.delete(socket)
  }

  endRequest(socket: Socket): void {
    const connection = known.get(socket)
    if (!connection || --connection.requests > 0) return
    this.#networks.get(connection.network)!.idle.delete(socket)
    this.#networks.get(connection.network)!.idle.add(socket)
  }

  wait(socket: Socket, client: Holder): void {
    const connection = known.get(socket)!
    this.#move(socket, connection, client)
    this.#networks.get(client)!.idle.add(socket)
  }

  #enter(name: Holder): Network {
    const network = this.#networks.get(name) ?? { count: 0, idle: new Set() }
    this.#networks.set(name, network)
    network.count++
    this.#count++
    return network
  }

  #leave(socket: Socket, name: Holder): void {
    const network = this.#networks.get(name)!
    network.idle.delete(socket)
    this.#count--
    if (--network.count === 0) this.#networks.delete(name)
  }

  #move(socket: Socket, connection: Connection, to: Holder): void {
    if (connection.network === to) return
    this.#leave(socket, connection.network)
    this.#enter(to)
    connection.network = to
  }

  #remove(socket: Socket): void {
    const connection = known.get(socket)
    if (connection) this.#leave(socket, connection.network)
    known.delete(socket)
  }

  #makeRoom(): boolean {
    let most: Network | undefined
    for (const network of this.#networks.values())
      if (network.idle.size > 0 && network.count > (most?.count ?? 0)) most = network
    const [socket] = most?.idle ?? []
    if (!socket) return false
    this.#remove(socket)
    socket.destroy()
    return true
  }
}
