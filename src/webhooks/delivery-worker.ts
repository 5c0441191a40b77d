import type { Store } from '../collections/catalog.ts'
import type { Logger } from '../log.ts'
import { callWebhook } from './call-webhook.ts'
import { findDue } from './due.ts'
import { endLease, type Lease, leaseDeliveries } from './lease.ts'
import type { OtherForms } from './other-forms.ts'
import { endTurn, failWithoutCall, recordOutcome } from './record-outcome.ts'

/** What calls need of the settings. */
export interface WebhookSettings {
  readonly webhookAllowPrivate: boolean
}

/** Calls of this node at a time. Each holds a socket and a kilobyte, for 12 s at most. */
const MAX_CALLS = 400
/** Time for running calls when the server stops; then another node repeats them. */
const STOP_MS = 3_000

/** Makes this node's webhook calls, one attempt per lease. A crash repeats it after half a minute. */
export class DeliveryWorker {
  readonly #store: Store
  readonly #settings: WebhookSettings
  readonly #log: Logger
  readonly #wake: () => void
  readonly #otherForms: OtherForms
  readonly #ending = new AbortController()
  readonly #running = new Set<Promise<void>>()

  /** `wake`: called when there is room again. */
  constructor(
    store: Store,
    settings: WebhookSettings,
    log: Logger,
    wake: () => void,
    otherForms: OtherForms,
  ) {
    this.#store = store
    this.#settings = settings
    this.#log = log
    this.#wake = wake
    this.#otherForms = otherForms
  }

  /** Leases what is due as long as there is room, and sets off on it. */
  async round(): Promise<void> {
    for (let room = this.#room(); room > 0; room = this.#room()) {
      const leases = await leaseDeliveries(this.#store.db, room)
      for (const lease of leases) this.#setOff(lease)
      if (leases.length < room) return
    }
  }

  /** Waits a little for what is under way, gives back what is left. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.#ending.abort(), STOP_MS)
    await Promise.all(this.#running)
    clearTimeout(late)
  }

  #room(): number {
    return MAX_CALLS - this.#running.size
  }

  #setOff(lease: Lease): void {
    const call = this.#call(lease)
      .catch((err) => this.#log.error({ err, delivery: lease.delivery }, 'a webhook could not be told'))
      .finally(() => {
        this.#running.delete(call)
        this.#wake()
      })
    this.#running.add(call)
  }

  async #call(lease: Lease): Promise<void> {
    const due = await findDue(this.#store, lease.delivery, this.#otherForms.bodyForm)
    if (!due) return endTurn(this.#store, lease)
    if (due.closed) return failWithoutCall(this.#store, lease, due, due.closed)
    const { signal } = this.#ending
    const call =
      due.format === ''
        ? callWebhook(due, this.#settings.webhookAllowPrivate, signal)
        : this.#otherForms.call(due, signal)
    const outcome = await call.catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (outcome) await recordOutcome(this.#store, lease, due, outcome)
    else await endLease(this.#store.db, lease)
  }
}
