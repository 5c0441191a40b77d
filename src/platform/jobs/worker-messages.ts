import { z } from 'zod'

export const WORKER_STATE = z.object({
  worker: z.int().min(1),
  state: z.enum(['starting', 'serving', 'down']),
  restarts: z.int().min(0).describe('How often it ended unexpectedly.'),
  started: z.string().describe('When its process was started, ISO 8601.'),
})
export type WorkerState = Readonly<z.output<typeof WORKER_STATE>>

/** A metric as getMetricsAsJSON of prom-client gives it, with only the fields that are used here. */
export interface CollectedMetric {
  readonly name: string
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>
    readonly value: number
  }[]
}

export interface WorkerMetrics {
  readonly worker: number
  readonly metrics: readonly CollectedMetric[]
}

export type ToParent =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'collect' }
  | { readonly kind: 'metrics'; readonly metrics: readonly CollectedMetric[] }

/**
 * Messages from the parent to a worker. `metrics` asks for those of its process. `collected` answers its
 * `collect`. `replaced`: another process serves in its place, so it finishes what runs and ends.
 */
export type ToWorker =
  | { readonly kind: 'replaced' }
  | { readonly kind: 'states'; readonly states: readonly WorkerState[] }
  | { readonly kind: 'metrics' }
  | { readonly kind: 'collected'; readonly all: readonly WorkerMetrics[] }

export const WORKER_VARIABLE = 'POCKETSMS_WORKER'
/** Is set for a process that starts beside the one that it replaces. */
export const REPLACING_VARIABLE = 'POCKETSMS_REPLACING'
