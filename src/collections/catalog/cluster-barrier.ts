import { EventEmitter, once } from 'node:events'
import { countChannelListeners } from '../../db/listeners.ts'
import type { Db } from '../../db/open.ts'
import { randomText } from '../../tools/random.ts'

/** Maximum wait for a node. A slower one reloads the collections when it reconnects. */
const PATIENCE_MS = 1_000
const SEEN = 'seen '

/** Announces a change to all nodes by NOTIFY and waits until each has it. */
export class ClusterBarrier {
  readonly #db: Db
  readonly #channel: string
  readonly #answers = new Map<string, number>()
  readonly #arrivals = new EventEmitter()

  constructor(db: Db, channel: string) {
    this.#db = db
    this.#channel = channel
  }

  /** Announces a change when the transaction of `db` commits. Returns the change's name. */
  async announce(db: Db): Promise<string> {
    const change = randomText(12)
    this.#answers.set(change, 0)
    await this.#say(db, change)
    return change
  }

  /** Handles an answer; false for other payloads. */
  hear(payload: string): boolean {
    if (!payload.startsWith(SEEN)) return false
    const change = payload.slice(SEEN.length)
    const answers = this.#answers.get(change)
    if (answers !== undefined) {
      this.#answers.set(change, answers + 1)
      this.#arrivals.emit('answer')
    }
    return true
  }

  /** Answers that this node has a change. */
  async answer(change: string): Promise<void> {
    if (change !== '') await this.#say(this.#db, SEEN + change)
  }

  /** Waits until every node, including this one, has answered, or PATIENCE_MS has passed. */
  async complete(change: string): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const nodes = await countChannelListeners(this.#db, this.#channel)
    while ((this.#answers.get(change) ?? 0) < nodes && !signal.aborted) {
      await once(this.#arrivals, 'answer', { signal }).catch(() => {})
    }
  }

  /** Stops waiting for a change. */
  forget(change: string): void {
    this.#answers.delete(change)
  }

  async #say(db: Db, payload: string): Promise<void> {
    await db.query('select pg_notify($1, $2)', [this.#channel, payload])
  }
}
