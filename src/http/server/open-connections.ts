import type { Socket } from 'node:net'
import type { Holder } from '../../admission/holder.ts'

/** The connections of a network. */
interface Network {
  /** Connections without a request, the longest idle first. */
  readonly idle: Set<Socket>
  /** Connections with a request, or with an answer that the client has not read yet, the oldest first. */
  readonly busy: Set<Socket>
}

const sizeOf = ({ idle, busy }: Network) => idle.size + busy.size

/** A connection, with the network that it came from. */
interface Connection {
  readonly all: OpenConnections
  readonly origin: Holder
  network: Holder
  requests: number
}

const known = new WeakMap<Socket, Connection>()

/** Counts a connection as idle, for the client and not its proxy, while its request waits for events. */
export function waitForNews(socket: Socket, client: Holder): void {
  known.get(socket)?.all.wait(socket, client)
}

/**
 * At the limit, closes the longest idle connection of the network with the most. Closes a busy one only
 * of a network with more than twice as many as any network with idle ones.
 */
export class OpenConnections {
  readonly #max: number
  readonly #networks = new Map<Holder, Network>()
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  /** False when there is no room. */
  add(socket: Socket, origin: Holder): boolean {
    if (this.#count >= this.#max && !this.#makeRoom(origin)) return false
    known.set(socket, { all: this, origin, network: origin, requests: 0 })
    this.#put(socket, origin, 'idle')
    this.#count++
    socket.once('close', () => this.#remove(socket))
    return true
  }

  /** Requests of a connection may wait behind another. */
  beginRequest(socket: Socket): void {
    const connection = known.get(socket)
    if (!connection || connection.requests++ > 0) return
    this.#move(socket, connection, connection.origin, 'busy')
  }

  endRequest(socket: Socket): void {
    const connection = known.get(socket)
    if (!connection || --connection.requests > 0) return
    this.#move(socket, connection, connection.network, 'idle')
  }

  wait(socket: Socket, client: Holder): void {
    this.#move(socket, known.get(socket)!, client, 'idle')
  }

  #put(socket: Socket, name: Holder, state: keyof Network): void {
    const network = this.#networks.get(name) ?? { idle: new Set(), busy: new Set() }
    this.#networks.set(name, network)
    network[state].add(socket)
  }

  #take(socket: Socket, name: Holder): void {
    const network = this.#networks.get(name)!
    network.idle.delete(socket)
    network.busy.delete(socket)
    if (sizeOf(network) === 0) this.#networks.delete(name)
  }

  #move(socket: Socket, connection: Connection, to: Holder, state: keyof Network): void {
    this.#take(socket, connection.network)
    this.#put(socket, to, state)
    connection.network = to
  }

  #remove(socket: Socket): void {
    const connection = known.get(socket)
    if (!connection || !known.delete(socket)) return
    this.#take(socket, connection.network)
    this.#count--
  }

  /** Makes room for a connection. False if that would close a busy connection of the same network. */
  #makeRoom(origin: Holder): boolean {
    let most: Network | undefined
    let idlest: Network | undefined
    for (const network of this.#networks.values()) {
      if (sizeOf(network) > (most ? sizeOf(most) : 0)) most = network
      if (network.idle.size > 0 && sizeOf(network) > (idlest ? sizeOf(idlest) : 0)) idlest = network
    }
    const isFarAhead = most && sizeOf(most) > 2 * (idlest ? sizeOf(idlest) : 1)
    if (isFarAhead && most === this.#networks.get(origin)) return false
    const [socket] = (isFarAhead ? most?.busy : idlest?.idle) ?? []
    if (!socket) return false
    this.#remove(socket)
    socket.destroy()
    return true
  }
}
