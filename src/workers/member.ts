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

/** A metric of prom-client's getMetricsAsJSON, with the fields that we read. */
export interface Figure {
  readonly name: string
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>
    readonly value: number
  }[]
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

export type WorkerMember = NonNullable<ReturnType<typeof workerMember>>

/** This process as one of several workers; undefined if it runs alone, and for the parent. */
export function workerMember() {
  if (!cluster.isWorker) return undefined
  const worker = Number(process.env[WORKER_VARIABLE])
  let states: readonly WorkerState[] = []
  let read: () => Promise<readonly Figure[]> = async () => []
  const collecting: ((all: readonly WorkerFigures[]) => void)[] = []
  const tell = (message: ToParent): void => {
    // a worker without its parent exits by itself: node:cluster
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  process.on('message', async (message: ToWorker) => {
    if (message.kind === 'states') states = message.states
    else if (message.kind === 'figures') tell({ kind: 'figures', figures: await read().catch(() => []) })
    else for (const resolve of collecting.splice(0)) resolve(message.all)
  })
  // a referenced channel would keep a worker running whose start failed
  process.channel?.unref()
  return {
    worker,
    states: () => states,
    serving: (url: string) => tell({ kind: 'serving', url }),
    /** Sets how to read this process's metrics when any worker collects. */
    offer(figures: typeof read): void {
      read = figures
    },
    /** The metrics of all workers that answer in time; without an answer of the parent, only its own. */
    async collect(): Promise<readonly WorkerFigures[]> {
      const collected = new Promise<readonly WorkerFigures[]>((resolve) => collecting.push(resolve))
      tell({ kind: 'collect' })
      const all = await within(collected, COLLECT_MS).catch(() => [])
      return all.length > 0 ? all : [{ worker, figures: await read() }]
    },
  }
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
