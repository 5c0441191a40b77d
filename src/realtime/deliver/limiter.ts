import type { Store } from '../../collections/catalog.ts'
import { Semaphore } from '../../tools/semaphore.ts'
import type { Owner } from '../clients/owner.ts'

/** Statements for clients' filters and expands at a time, and of them those of owners who had slow ones. */
const MAX_AT_ONCE = 2
const MAX_SLOW_AT_ONCE = 1
/** How long one of them may take. */
export const LIMIT_MS = 500
/** An owner with a statement that took so long goes behind the others for a minute. */
const SLOW_MS = 100

/** Runs statements that clients have shaped: a few at a time, each with a short limit. */
export class Limiter {
  readonly #store: Store
  readonly #places = new Semaphore(MAX_AT_ONCE, { preferredInARow: Number.POSITIVE_INFINITY })
  readonly #placesOfSlow = new Semaphore(MAX_SLOW_AT_ONCE)

  constructor(store: Store) {
    this.#store = store
  }

  /** How long a statement may take, in ms. */
  get limitMs(): number {
    return LIMIT_MS
  }

  /**
   * Does `work` in a transaction. Each statement in it that takes longer than `limitMs` fails: see
   * `isTooSlow` in `db/errors`.
   */
  run<T>(owner: Owner, work: (store: Store) => Promise<T>): Promise<T> {
    const { db, catalog } = this.#store
    return this.#inPlace(owner.isSlow, () =>
      db.transaction(async (tx) => {
        await tx.limitStatements(this.limitMs)
        const began = performance.now()
        try {
          return await work({ db: tx, catalog })
        } finally {
          const tookMs = performance.now() - began
          owner.noteWork(tookMs, tookMs > SLOW_MS)
        }
      }),
    )
  }

  /** Slow work waits for one of its own places first, then behind all other work. */
  #inPlace<T>(isSlow: boolean, work: () => Promise<T>): Promise<T> {
    if (!isSlow) return this.#places.run(work, '', true)
    return this.#placesOfSlow.run(() => this.#places.run(work))
  }
}
