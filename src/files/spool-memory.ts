/** Memory that all requests may take while they come in: many may be slow, or never end. */
const TOTAL_BYTES = 128 << 20
/** The same of one account, or of the guests of one address. */
const HOLDER_BYTES = 16 << 20

/** Memory for bodies that come in, shared between holders. What does not fit goes to temporary files. */
export class SpoolMemory {
  readonly #holderBytes: number
  readonly #byHolder = new Map<string, number>()
  #free: number

  constructor(totalBytes = TOTAL_BYTES, holderBytes = HOLDER_BYTES) {
    this.#free = totalBytes
    this.#holderBytes = holderBytes
  }

  /** False when there is no room for so many bytes. Without a holder only the total counts. */
  tryTake(bytes: number, holder?: string): boolean {
    if (this.#free < bytes) return false
    if (holder !== undefined) {
      const taken = (this.#byHolder.get(holder) ?? 0) + bytes
      if (taken > this.#holderBytes) return false
      this.#byHolder.set(holder, taken)
    }
    this.#free -= bytes
    return true
  }

  giveBack(bytes: number, holder?: string): void {
    this.#free += bytes
    if (holder === undefined) return
    const left = (this.#byHolder.get(holder) ?? 0) - bytes
    if (left > 0) this.#byHolder.set(holder, left)
    else this.#byHolder.delete(holder)
  }
}

/** That of this process. */
export const spoolMemory = new SpoolMemory()
