import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import type { Config } from '../config.ts'

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
  | { readonly kind: 'collect'; readonly id: number }
  | { readonly kind: 'figures'; readonly id: number; readonly figures: readonly Figure[] }

/** From the parent to a worker. `figures` asks for its own, `collected` answers `collect`. */
export type ToWorker =
  | { readonly kind: 'states'; readonly states: readonly WorkerState[] }
  | { readonly kind: 'figures'; readonly id: number }
  | { readonly kind: 'collected'; readonly id: number; readonly all: readonly WorkerFigures[] }

export const WORKER_VARIABLE = 'POCKETSMS_WORKER'

/** How long metrics wait for the parent, which itself waits for the other workers. */
const COLLECT_MS = 3_000

/** This process as one of several workers: what it knows of the others, and tells them. */
export class WorkerMember {
  readonly worker: number
  #states: readonly WorkerState[] = []
  #figures: () => Promise<readonly Figure[]> = async () => []
  #ids = 0
  readonly #collecting = new Map<number, (all: readonly WorkerFigures[]) => void>()

  constructor(worker: number) {
    this.worker = worker
    process.on('message', (message: ToWorker) => this.#hear(message))
    // a worker whose start failed ends: nothing but this would keep it
    process.channel?.unref()
  }

  get states(): readonly WorkerState[] {
    return this.#states
  }

  /** Tells the parent that the port is open. */
  serving(url: string): void {
    this.#tell({ kind: 'serving', url })
  }

  /** What this process counts, whenever any worker collects. */
  offer(figures: () => Promise<readonly Figure[]>): void {
    this.#figures = figures
  }

  /** What all workers count, without those that do not answer; alone without the parent. */
  async collect(): Promise<readonly WorkerFigures[]> {
    const id = ++this.#ids
    const collected = new Promise<readonly WorkerFigures[]>((resolve) => {
      this.#collecting.set(id, resolve)
      setTimeout(() => resolve([]), COLLECT_MS).unref()
    })
    this.#tell({ kind: 'collect', id })
    const all = await collected
    this.#collecting.delete(id)
    return all.length > 0 ? all : [{ worker: this.worker, figures: await this.#figures() }]
  }

  #hear(message: ToWorker): void {
    if (message.kind === 'states') this.#states = message.states
    else if (message.kind === 'collected') this.#collecting.get(message.id)?.(message.all)
    else if (message.kind === 'figures') void this.#answer(message.id)
  }

  async #answer(id: number): Promise<void> {
    const figures = await this.#figures().catch(() => [])
    this.#tell({ kind: 'figures', id, figures })
  }

  #tell(message: ToParent): void {
    // without its parent a worker ends by itself: node:cluster
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
}

/** This process as a worker; undefined for one that stands alone, and for the parent. */
export function workerMember(): WorkerMember | undefined {
  return cluster.isWorker ? new WorkerMember(Number(process.env[WORKER_VARIABLE])) : undefined
}

/** Below that, statements that clients chose would leave too few connections to all others. */
const MIN_POOL = 4

/** How many processes WORKERS asks for. */
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
