import { admission } from '../admission/admission.ts'
import { GrowingRoom, type Share } from '../admission/budget.ts'
import type { Holder } from '../admission/holder.ts'

/** Bodies and answers up to this size are not counted. Parsing such a body takes less than 10 ms. */
export const SMALL_BYTES = 64 << 10

/** A request's part of `admission.memory`: its body until it is read, its answer until it is sent. */
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

  /** Reserves room for the body until `leaveBody`. Waits for the holder's turn first. Throws 429. */
  async roomForBody(declared?: number): Promise<GrowingRoom> {
    await this.turn(0)
    this.#body = new GrowingRoom(this.#share, declared)
    return this.#body
  }

  leaveBody(): void {
    this.#body?.leave()
  }

  /** Waits for the turn of work that takes as long as parsing this many bytes. Throws 429. */
  async turn(bytes: number): Promise<void> {
    if (!this.#isSuperuser) await admission.bodyBytes.pay(this.holder, bytes)
    await admission.bodySlices.next()
  }

  /** Reserves room for an answer of exactly this many bytes. Throws RetryLater. */
  hold(bytes: number): void {
    this.#resize(bytes, (more) => this.#share.takeNow(more))
  }

  /** Waits until there is room for an answer of at least this many bytes. Throws RetryLater. */
  async wait(bytes: number): Promise<void> {
    const more = bytes - this.#answer
    if (more <= 0) return
    await this.#share.take(more)
    this.#answer = bytes
  }

  /** Counts an answer without checking for room: what it answers is already stored. */
  force(bytes: number): void {
    this.#resize(bytes, (more) => this.#share.force(more))
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
