import type { Socket } from 'node:net'
import type { Holder } from '../../admission/holder.ts'

export interface Connection {
  readonly socket: Socket
  /** The network that it came from. */
  readonly origin: Holder
  /** The network that it counts for: a proxy's client while that waits for events. */
  network: Holder
  /** Whether a request is under way that does not wait for events. */
  isBusy: boolean
  /** Its requests, and the bytes of those that wait for earlier answers. */
  requests: number
  waitingBytes: number
}

/**
 * At the limit, closes the longest idle connection of the network with the most. Closes a busy one only
 * of a network with more than twice as many as any network with idle ones.
 */
export class OpenConnections {
  readonly #max: number
  /** Each network's connections: those that have been idle or busy for longest come first. */
  readonly #networks = new Map<Holder, Set<Connection>>()
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  /** False when there is no room. */
  add(connection: Connection): boolean {
    if (this.#count >= this.#max && !this.#makeRoom(connection.network)) return false
    this.#put(connection)
    this.#count++
    connection.socket.once('close', () => this.#remove(connection))
    return true
  }

  /** Notes that a connection becomes busy or idle. Ignores a closed one. */
  change(connection: Connection, network: Holder, isBusy: boolean): void {
    if (!this.#take(connection)) return
    connection.network = network
    connection.isBusy = isBusy
    this.#put(connection)
  }

  #put(connection: Connection): void {
    const own = this.#networks.get(connection.network)
    if (own) own.add(connection)
    else this.#networks.set(connection.network, new Set([connection]))
  }

  #take(connection: Connection): boolean {
    const own = this.#networks.get(connection.network)
    if (!own?.delete(connection)) return false
    if (own.size === 0) this.#networks.delete(connection.network)
    return true
  }

  #remove(connection: Connection): void {
    if (this.#take(connection)) this.#count--
  }

  /** Makes room for a connection. False if that would close a busy connection of the same network. */
  #makeRoom(origin: Holder): boolean {
    let most: Set<Connection> | undefined
    let idlest: Set<Connection> | undefined
    for (const own of this.#networks.values()) {
      if (own.size > (most?.size ?? 0)) most = own
      if (own.size > (idlest?.size ?? 0) && firstOf(own, false)) idlest = own
    }
    const isFarAhead = most && most.size > 2 * (idlest?.size ?? 1)
    if (isFarAhead && most === this.#networks.get(origin)) return false
    const closed = (isFarAhead && most && firstOf(most, true)) || (idlest && firstOf(idlest, false))
    if (!closed) return false
    this.#remove(closed)
    closed.socket.destroy()
    return true
  }
}

function firstOf(own: Iterable<Connection>, isBusy: boolean): Connection | undefined {
  for (const connection of own) if (connection.isBusy === isBusy) return connection
}
