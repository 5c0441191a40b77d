import type { Store } from '../collections/catalog.ts'
import type { Logger } from '../log.ts'
import { callWebhook } from './call-webhook.ts'
import { findDue } from './due.ts'
import { handOver } from './hand-over.ts'
import { Queue, type Ticket } from './queue.ts'
import { endTurn, failWithoutCall, recordOutcome } from './record-outcome.ts'

/** What calls need of the settings. */
export interface WebhookSettings {
  readonly webhookAllowPrivate: boolean
}

/** Calls of this node at a time. Each holds a socket and a kilobyte, for 12 s at most. */
const MAX_CALLS = 400
/** How long calls under way may still take when the server stops; then another node makes them anew. */
const STOP_MS = 3_000

/**
 * Makes this node's calls: takes tickets as long as it has room, each is one attempt. One instance a process;
 * a delivery that it was in the middle of when it died has its turn again after half a minute.
 */
export class DeliveryWorker {
  readonly #store: Store
  readonly #settings: WebhookSettings
  readonly #log: Logger
  readonly #wake: () => void
  readonly #ending = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #queue: Queue | undefined

  /** `wake`: called when there is room again. */
  constructor(store: Store, settings: WebhookSettings, log: Logger, wake: () => void) {
    this.#store = store
    this.#settings = settings
    this.#log = log
    this.#wake = wake
  }

  /** True once there was something to do: from then on time alone can bring more. */
  get isAtWork(): boolean {
    return this.#queue !== undefined
  }

  /** One look: has what is due handed over as long as it has room, and sets off on all that it can get. */
  async round(): Promise<void> {
    this.#queue ??= await Queue.open(this.#store.db, this.#log)
    for (let room = this.#room(); room > 0; room = this.#room()) {
      await handOver(this.#store.db, this.#queue, room)
      const tickets = await this.#queue.take(room)
      for (const ticket of tickets) this.#setOff(this.#queue, ticket)
      if (tickets.length < room) return
    }
  }

  /** Waits a little for what is under way, gives back what is left. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.#ending.abort(), STOP_MS)
    await Promise.all(this.#running)
    clearTimeout(late)
    await this.#queue?.close()
  }

  #room(): number {
    return MAX_CALLS - this.#running.size
  }

  #setOff(queue: Queue, ticket: Ticket): void {
    const call = this.#call(queue, ticket)
      .catch((err) => this.#log.error({ err, delivery: ticket.delivery }, 'a webhook could not be told'))
      .finally(() => {
        this.#running.delete(call)
        this.#wake()
      })
    this.#running.add(call)
  }

  async #call(queue: Queue, ticket: Ticket): Promise<void> {
    const due = await findDue(this.#store, ticket.delivery)
    if (!due) return endTurn(this.#store, queue, ticket)
    if (due.closed) return failWithoutCall(this.#store, queue, ticket, due, due.closed)
    const { signal } = this.#ending
    const outcome = await callWebhook(due, this.#settings.webhookAllowPrivate, signal).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error
      },
    )
    if (outcome) await recordOutcome(this.#store, queue, ticket, due, outcome)
    else await queue.giveBack(ticket)
  }
}
