import type { Socket } from 'node:net'
import { networkOf } from '../../auth/limits/addresses.ts'
import { addressOf } from './client-ip.ts'

/** An address whose connection was closed for abuse gets no new one for so long. */
const BAN_MS = 2_000
const MANY = 1_000

/**
 * Closes new connections from addresses that have just abused one: opening the next costs a client nothing,
 * closing it costs us.
 */
export class BriefBans {
  readonly #untilMs = new Map<string, number>()

  /** From now on new connections from the address of this one are closed for a while. */
  ban(socket: Socket): void {
    const nowMs = performance.now()
    if (this.#untilMs.size >= MANY)
      for (const [network, untilMs] of this.#untilMs) if (untilMs < nowMs) this.#untilMs.delete(network)
    this.#untilMs.set(networkOf(addressOf(socket)), nowMs + BAN_MS)
  }

  /** Listener for new connections. */
  readonly check = (socket: Socket): void => {
    if (this.#untilMs.size === 0) return
    if ((this.#untilMs.get(networkOf(addressOf(socket))) ?? 0) > performance.now()) socket.destroy()
  }
}
