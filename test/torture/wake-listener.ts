import { setTimeout as sleep } from 'node:timers/promises'
import { openStream } from '../support/server/server-with-devices.ts'

const AGAIN_MS = 100

/** A second stream of a device that does nothing but note when the server said wake. */
export class WakeListener {
  readonly device: string
  readonly #heard: (readonly { readonly name: string; readonly at: number }[])[] = []
  #isOver = false
  #close = async () => {}

  constructor(url: string, device: string, token: string) {
    this.device = device
    void this.#listen(url, token)
  }

  /** How long after `sinceMs` (as performance.now() has it) it heard wake; Infinity if it did not. */
  waitFrom(sinceMs: number): number {
    const wakes = this.#heard.flat().filter(({ name, at }) => name === 'wake' && at >= sinceMs)
    return Math.min(...wakes.map(({ at }) => at - sinceMs))
  }

  async close(): Promise<void> {
    this.#isOver = true
    await this.#close()
  }

  async #listen(url: string, token: string): Promise<void> {
    while (!this.#isOver) {
      const stream = await openStream(url, token).catch(() => undefined) // the server is away
      if (stream) {
        this.#close = stream.close
        this.#heard.push(stream.heard)
        await stream.ended
      }
      await sleep(AGAIN_MS)
    }
  }
}
