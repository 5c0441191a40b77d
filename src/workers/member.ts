import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { within } from '../tools/deadline.ts'

export const WORKER_STATE = z.object({
  worker: z.int().min(1),
  state: z.enum(['starting', 'serving', 'down']),
  restarts: z.int().min(0).describe('How often it ended without being told to.'),
  started: z.string().describe('When its process was started, ISO 8601.'),
})
export type WorkerState = Readonly<z.output<typeof WORKER_STATE>>

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

export interface WorkerFigures {
  readonly worker: number
  readonly figures: readonly Figure[]
}

export type ToParent =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'collect' }
  | { readonly kind: 'figures'; readonly figures: readonly Figure[] }

/** From the parent to a worker. `figures` asks for its metrics, `collected` answers `collect`. */
export type ToWorker =
  | { readonly kind: 'states'; readonly states: readonly WorkerState[] }
  | { readonly kind: 'figures' }
  | { readonly kind: 'collected'; readonly all: readonly WorkerFigures[] }

export const WORKER_VARIABLE = 'POCKETSMS_WORKER'

/** Time limit for the parent's answer, which waits for the other workers. */
const COLLECT_MS = 3_000

/** This process as one of several workers. Exchanges states and metrics with the others by the parent. */
export class WorkerMember {
  readonly worker: number
  #states: readonly WorkerState[] = []
  #figures: () => Promise<readonly Figure[]> = async () => []
  readonly #collecting: ((all: readonly WorkerFigures[]) => void)[] = []

  constructor(worker: number) {
    this.worker = worker
    process.on('message', (message: ToWorker) => this.#hear(message))
    // else the channel would keep a worker running whose start failed
    process.channel?.unref()
  }

  get states(): readonly WorkerState[] {
    return this.#states
  }

  /** Tells the parent that the port is open. */
  serving(url: string): void {
    this.#tell({ kind: 'serving', url })
  }

  /** Sets how to read this process's metrics when any worker collects. */
  offer(figures: () => Promise<readonly Figure[]>): void {
    this.#figures = figures
  }

  /** The metrics of all workers that answer in time; without an answer of the parent, only its own. */
  async collect(): Promise<readonly WorkerFigures[]> {
    const collected = new Promise<readonly WorkerFigures[]>((resolve) => this.#collecting.push(resolve))
    this.#tell({ kind: 'collect' })
    const all = await within(collected, COLLECT_MS).catch(() => [])
    return all.length > 0 ? all : [{ worker: this.worker, figures: await this.#figures() }]
  }

  #hear(message: ToWorker): void {
    if (message.kind === 'states') this.#states = message.states
    else if (message.kind === 'figures') void this.#answer()
    else for (const resolve of this.#collecting.splice(0)) resolve(message.all)
  }

  async #answer(): Promise<void> {
    this.#tell({ kind: 'figures', figures: await this.#figures().catch(() => []) })
  }

  #tell(message: ToParent): void {
    // a worker without its parent exits by itself: node:cluster
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
}

/** This process as a worker; undefined for one that stands alone, and for the parent. */
export function workerMember(): WorkerMember | undefined {
  return cluster.isWorker ? new WorkerMember(Number(process.env[WORKER_VARIABLE])) : undefined
}

/** With fewer connections, client-shaped statements would leave too few for others. */
const MIN_POOL = 4

/** The number of processes that WORKERS sets. */
export const workerCount = ({ workers }: Pick<Config, 'workers'>): number =>
  workers === 'auto' ? availableParallelism() : workers

/** The settings of one of `count` workers: limits per process are divided. 0 stays no limit. */
export function shareOf(config: Config, count: number): Config {
  const share = (limit: number) => Math.ceil(limit / count)
  return Object.freeze({
    ...config,
    databasePool: Math.max(Math.min(MIN_POOL, config.databasePool), share(config.databasePool)),
    maxConnections: share(config.maxConnections),
    maxConnectionsPerAddress: share(config.maxConnectionsPerAddress),
    maxStreams: share(config.maxStreams),
  })
}
