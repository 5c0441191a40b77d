import { makeUserHolder } from '../engine/collections/collection.ts'
import { GrowingRoom, type Share } from '../platform/limits/byte-budget.ts'
import type { Holder } from '../platform/limits/limit-holder.ts'
import { admission } from '../platform/limits/shared-limits.ts'

/** Bodies and answers up to this size reserve no memory. Parsing such a body takes less than 10 ms. */
export const SMALL_BYTES = 64 << 10

/** The memory of work for an account that no request of HTTP begins. */
export const openUserMemory = (user: string) => new RequestMemory(makeUserHolder(user))

/** The memory that a request's body and answer reserve from the budget that all requests share. */
export class RequestMemory {
  readonly holder: Holder
  readonly #isSuperuser: boolean
  readonly #share: Share
  #body: GrowingRoom | undefined
  #answer = 0

  constructor(holder: Holder, isSuperuser = false) {
    this.holder = holder
    this.#isSuperuser = isSuperuser
    this.#share = admission.memory.open(holder)
  }

  get answer(): number {
    return this.#answer
  }

  /**
   * Waits for the client's turn on the CPU, then reserves memory for the body until `leaveBody`. Throws 429.
   */
  async roomForBody(declared?: number): Promise<GrowingRoom> {
    await this.turn(0)
    this.#body = new GrowingRoom(this.#share, declared)
    return this.#body
  }

  leaveBody(): void {
    this.#body?.leave()
  }

  /** Waits until the client may use the CPU for as long as parsing `bytes` bytes takes. Throws 429. */
  async turn(bytes: number): Promise<void> {
    if (!this.#isSuperuser) await admission.bodyBytes.pay(this.holder, bytes)
    await admission.slices.next()
  }

  /** Changes the reservation for the answer to this many bytes. Throws RetryLater if there is no room. */
  hold(bytes: number): void {
    this.#resize(bytes, (more) => this.#share.takeNow(more))
  }

  /** Waits for room for an answer of at least this many bytes, then reserves it. Throws RetryLater. */
  async wait(bytes: number): Promise<void> {
    const more = bytes - this.#answer
    if (more <= 0) return
    await this.#share.take(more)
    this.#answer = bytes
  }

  /** Reserves memory for an answer even without room, because the write that it reports is already stored. */
  force(bytes: number): void {
    this.#resize(bytes, (more) => this.#share.force(more))
  }

  /** Reserves memory until the request ends, even without room: for results of work that had reserved it. */
  keep(bytes: number): void {
    this.#share.force(bytes)
  }

  close(): void {
    this.#share.close()
  }

  #resize(bytes: number, take: (more: number) => void): void {
    const more = bytes - this.#answer
    if (more > 0) take(more)
    else this.#share.giveBack(-more)
    this.#answer = bytes
  }
}
