import type { CallOutcome } from './call-webhook.ts'
import type { BodyForm, DueDelivery } from './due.ts'

/** What protocols of others add to deliveries. */
export interface OtherForms {
  readonly bodyForm: BodyForm
  /** Calls a delivery whose `format` is set. Rejects only if `signal` aborts. */
  readonly call: (due: DueDelivery, signal: AbortSignal) => Promise<CallOutcome>
  /** The body of such a delivery. */
  readonly bodyOf: (due: DueDelivery) => string
}
