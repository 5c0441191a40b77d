import { Semaphore } from '../../tools/semaphore.ts'

/** Calls to push services at the same time, of all users and of one. */
const PLACES = 32
const PLACES_OF_USER = 4
/** Calls of one user that run or wait. More are not made: the sweep wakes devices again. */
const MAX_OF_USER = 1_000

interface Own {
  readonly places: Semaphore
  calls: number
}

/**
 * Bounds calls to push services: a user with hundreds of devices on slow ones delays only their own wake-ups.
 */
export class PushCalls {
  readonly #all = new Semaphore(PLACES)
  readonly #users = new Map<string, Own>()

  /** Makes a call for a user when its turn has come. Throws when too many of the user wait already. */
  async run<T>(user: string, call: () => Promise<T>): Promise<T> {
    const own = this.#users.get(user) ?? { places: new Semaphore(PLACES_OF_USER), calls: 0 }
    if (own.calls >= MAX_OF_USER) throw new Error('too many wake-ups of this user wait')
    this.#users.set(user, own)
    own.calls++
    try {
      return await own.places.run(() => this.#all.run(call))
    } finally {
      if (--own.calls === 0) this.#users.delete(user)
    }
  }
}
