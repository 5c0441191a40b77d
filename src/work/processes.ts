import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { within } from '../tools/deadline.ts'

export const WORKER_STATE = z.object({
  worker: z.int().min(1),
  state: z.enum(['starting', 'serving', 'down']),
  restarts: z.int().min(0).describe('How often it ended unexpectedly.'),
  started: z.string().describe('When its process was started, ISO 8601.'),
})
export type WorkerState = Readonly<z.output<typeof WORKER_STATE>>

/** A metric as getMetricsAsJSON of prom-client gives it, with only the fields that are used here. */
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

type ToParent =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'collect' }
  | { readonly kind: 'figures'; readonly figures: readonly Figure[] }

/** Messages from the parent to a worker. `figures` asks it for metrics. `collected` answers its `collect`. */
type ToWorker =
  | { readonly kind: 'states'; readonly states: readonly WorkerState[] }
  | { readonly kind: 'figures' }
  | { readonly kind: 'collected'; readonly all: readonly WorkerFigures[] }

const WORKER_VARIABLE = 'POCKETSMS_WORKER'

/** Time limit for the parent's answer to `collect`, for which the parent asks the other workers. */
const COLLECT_MS = 3_000

export type WorkerMember = NonNullable<ReturnType<typeof workerMember>>

/** This process as one of several workers; undefined if it runs alone or is the parent. */
export function workerMember() {
  if (!cluster.isWorker) return undefined
  const worker = Number(process.env[WORKER_VARIABLE])
  let states: readonly WorkerState[] = []
  let read: () => Promise<readonly Figure[]> = async () => []
  const collecting: ((all: readonly WorkerFigures[]) => void)[] = []
  const tell = (message: ToParent): void => {
    // if the parent is gone, node:cluster ends this worker
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  process.on('message', async (message: ToWorker) => {
    if (message.kind === 'states') states = message.states
    else if (message.kind === 'figures') tell({ kind: 'figures', figures: await read().catch(() => []) })
    else for (const resolve of collecting.splice(0)) resolve(message.all)
  })
  // lets the process end if its start fails, though the channel to the parent is open
  process.channel?.unref()
  return {
    worker,
    states: () => states,
    serving: (url: string) => tell({ kind: 'serving', url }),
    /** Sets the function that reads this process's metrics whenever a worker collects them. */
    offer(figures: typeof read): void {
      read = figures
    },
    /** Returns the metrics of all workers that answer in time, or only its own if the parent does not. */
    async collect(): Promise<readonly WorkerFigures[]> {
      const collected = new Promise<readonly WorkerFigures[]>((resolve) => collecting.push(resolve))
      tell({ kind: 'collect' })
      const all = await within(collected, COLLECT_MS).catch(() => [])
      return all.length > 0 ? all : [{ worker, figures: await read() }]
    },
  }
}

/** Minimum database connections of a worker. Clients' filters could occupy nearly all if there were fewer. */
const MIN_POOL = 4

export const workerCount = ({ workers }: Pick<Config, 'workers'>): number =>
  workers === 'auto' ? availableParallelism() : workers

/** The settings of one of `count` workers: limits are divided among them. 0 (no limit) stays 0. */
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

/** The pause before a worker's restart doubles each time it ends sooner than this after its start. */
const STEADY_MS = 60_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]
const PATIENCE_MS = 2_000
/** A worker that is told to stop is killed after this time. Finishing its requests takes less. */
const STOP_MS = 12_000

/** A worker's number and state. They are kept when a new process replaces the worker's process. */
interface WorkerSlot {
  info: WorkerState
  process?: Worker | undefined
  quickEnds: number
  timer?: NodeJS.Timeout
  readonly waiting: ((figures: readonly Figure[]) => void)[]
}

interface SupervisorOptions {
  readonly count: number
  /** How long workers keep serving after they were told to stop. */
  readonly stopDelaySeconds: number
  readonly env: Readonly<Record<string, string>>
}

/** The parent of several workers behind one port: starts, restarts and informs them. */
export function supervise({ count, stopDelaySeconds, env }: SupervisorOptions, log: Logger) {
  const slots = Array.from({ length: count }, (_, i): WorkerSlot => {
    const started = new Date().toISOString()
    return { info: { worker: i + 1, state: 'starting', restarts: 0, started }, quickEnds: 0, waiting: [] }
  })
  let isStopping = false
  /** Whether the first worker has begun to serve. If it ends before that, no worker is restarted. */
  let hasServed = false
  const first = Promise.withResolvers<{ url: string } | { exitCode: number }>()
  const allEnded = Promise.withResolvers<void>()

  function start(slot: WorkerSlot): void {
    slot.info = { ...slot.info, state: 'starting', started: new Date().toISOString() }
    const started = cluster.fork({ ...env, [WORKER_VARIABLE]: String(slot.info.worker) })
    slot.process = started
    started.on('message', (message: ToParent) => {
      if (message.kind === 'serving') {
        slot.info = { ...slot.info, state: 'serving' }
        hasServed = true
        first.resolve({ url: message.url })
        tellStates()
      } else if (message.kind === 'collect') void collect(slot)
      else for (const resolve of slot.waiting.splice(0)) resolve(message.figures)
    })
    started.on('error', () => {}) // a message to a process that is ending
    started.once('exit', (code, signal) => {
      slot.process = undefined
      slot.info = { ...slot.info, state: 'down' }
      resolveIfAllEnded()
      tellStates()
      first.resolve({ exitCode: code || 1 })
      if (isStopping || !hasServed) return
      const ranMs = Date.now() - Date.parse(slot.info.started)
      slot.quickEnds = ranMs < STEADY_MS ? slot.quickEnds + 1 : 1
      slot.info = { ...slot.info, restarts: slot.info.restarts + 1 }
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (slot.quickEnds - 1))
      slot.timer = setTimeout(() => start(slot), pauseMs)
      log.error({ worker: slot.info.worker, code, signal, pauseMs }, 'a worker exited, restarting it')
    })
  }

  function tell(slot: WorkerSlot, message: ToWorker): void {
    if (slot.process?.isConnected()) slot.process.send(message)
  }

  function tellStates(): void {
    const states = slots.map(({ info }) => info)
    for (const slot of slots) tell(slot, { kind: 'states', states })
  }

  /** A worker's metrics; undefined if it does not answer in time. */
  async function figuresOf(slot: WorkerSlot) {
    const answer = new Promise<readonly Figure[]>((resolve) => slot.waiting.push(resolve))
    tell(slot, { kind: 'figures' })
    const figures = await within(answer, PATIENCE_MS).catch(() => undefined)
    return figures && { worker: slot.info.worker, figures }
  }

  async function collect(asker: WorkerSlot): Promise<void> {
    const serving = slots.filter(({ info }) => info.state === 'serving')
    const answers = await Promise.all(serving.map(figuresOf))
    tell(asker, { kind: 'collected', all: answers.filter((answer) => answer !== undefined) })
  }

  /** Sends a signal to all workers and cancels pending restarts. */
  function endAll(signal: NodeJS.Signals): void {
    for (const { timer, process } of slots) {
      clearTimeout(timer)
      process?.process.kill(signal)
    }
  }

  function resolveIfAllEnded(): void {
    if (isStopping && slots.every(({ process }) => !process)) allEnded.resolve()
  }

  return {
    /** Starts the first worker, and the others once it serves. Returns its URL, or exit code if it ends. */
    async start() {
      const [one, ...others] = slots
      start(one!)
      const result = await first.promise
      if ('url' in result && !isStopping) others.forEach(start)
      return result
    },
    /** Stops all workers. Kills those that do not end in time. */
    async stop(): Promise<void> {
      isStopping = true
      endAll('SIGTERM')
      const late = setTimeout(() => endAll('SIGKILL'), stopDelaySeconds * 1000 + STOP_MS)
      resolveIfAllEnded()
      await allEnded.promise
      clearTimeout(late)
    },
  }
}
