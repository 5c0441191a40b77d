/** How one worker does, as its parent sees it. */
export interface WorkerState {
  /** From 1 on. A worker that is started again keeps its number. */
  readonly worker: number
  readonly state: 'starting' | 'serving' | 'down'
  /** How often it ended without being told to. */
  readonly restarts: number
  /** When the process was started, as ISO text. */
  readonly started: string
}

/** A metric of one process, as prom-client's getMetricsAsJSON gives it. */
export interface Figure {
  readonly name: string
  readonly help: string
  readonly type: unknown
  readonly aggregator: unknown
  readonly values: readonly FigureValue[]
}

export interface FigureValue {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  readonly metricName?: string
}

/** What one worker counts. */
export interface WorkerFigures {
  readonly worker: number
  readonly figures: readonly Figure[]
}

/** From a worker to its parent. */
export type ToParent =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'collect'; readonly id: number }
  | { readonly kind: 'figures'; readonly id: number; readonly figures: readonly Figure[] }

/** From the parent to a worker. `figures` asks for its own, `collected` answers `collect`. */
export type ToWorker =
  | { readonly kind: 'states'; readonly states: readonly WorkerState[] }
  | { readonly kind: 'figures'; readonly id: number }
  | { readonly kind: 'collected'; readonly id: number; readonly all: readonly WorkerFigures[] }
