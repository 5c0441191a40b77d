import { WakeSignal } from '../tools/wake-signal.ts'
import { persist } from './backoff.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { call, type Server, ServerRefusal } from './server.ts'

const MAX_ITEMS = 100
const IDLE_MS = 60_000
const LAST_MS = 3_000
const PATHS: Record<JournalEntry['kind'], string> = {
  report: '/api/devices/report',
  incoming: '/api/devices/incoming',
}

/** Sends the journal's entries to the server in order until they are acknowledged. */
export class Outbox {
  readonly #journal: Journal
  readonly #server: () => Server
  readonly #more = new WakeSignal()
  readonly #told: () => void
  readonly #say: (line: string) => void

  /** `told` is called when the server has taken an entry. */
  constructor(journal: Journal, server: () => Server, told: () => void, say: (line: string) => void) {
    this.#journal = journal
    this.#server = server
    this.#told = told
    this.#say = say
  }

  /** Keeps an entry until the server has it. */
  put(telling: JournalEntry): void {
    this.#journal.keep(telling)
    this.#more.notify()
  }

  /** Works until `ended`. Throws ServerRefusal when the server refuses the device. */
  run(ended: AbortSignal): Promise<void> {
    return persist(async () => {
      await this.#empty(ended)
      await this.#more.wait(IDLE_MS, ended)
    }, ended)
  }

  /** A last attempt of a few seconds; the rest stays in the journal. */
  async tellLast(): Promise<void> {
    await this.#empty(AbortSignal.timeout(LAST_MS)).catch(() => {}) // next time
  }

  async #empty(ended: AbortSignal): Promise<void> {
    for (let next = this.#next(); next.length > 0 && !ended.aborted; next = this.#next()) {
      await this.#tell(next, ended)
      this.#told()
    }
  }

  /** The oldest entries of one kind. */
  #next(): [number, JournalEntry][] {
    const untold = [...this.#journal.untold].slice(0, MAX_ITEMS)
    const end = untold.findIndex(([, { kind }]) => kind !== untold[0]![1].kind)
    return end < 0 ? untold : untold.slice(0, end)
  }

  async #tell(tellings: readonly [number, JournalEntry][], ended: AbortSignal): Promise<void> {
    const items = tellings.map(([, { item }]) => item)
    try {
      await call(this.#server(), 'POST', PATHS[tellings[0]![1].kind], { items }, ended)
    } catch (error) {
      if (!(error instanceof ServerRefusal) || error.status === 401 || error.status === 403) throw error
      if (tellings.length > 1) return this.#tellEach(tellings, ended)
      this.#say(`The server will not take a ${tellings[0]![1].kind}: ${error.message}`)
    }
    this.#journal.forget(tellings.map(([number]) => number))
  }

  /** One of them is refused: send them one by one, so that the others pass. */
  async #tellEach(tellings: readonly [number, JournalEntry][], ended: AbortSignal): Promise<void> {
    for (const telling of tellings) await this.#tell([telling], ended)
  }
}
