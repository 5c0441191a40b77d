import cluster from 'node:cluster'
import { limitTime } from '../tools/deadline.ts'
import {
  type CollectedMetric,
  REPLACING_VARIABLE,
  type ToParent,
  type ToWorker,
  WORKER_VARIABLE,
  type WorkerMetrics,
  type WorkerState,
} from './worker-messages.ts'

/** Time limit for the parent's answer to `collect`, for which the parent asks the other workers. */
const COLLECT_MS = 3_000

export type WorkerMember = NonNullable<ReturnType<typeof makeWorkerMember>>

/** This process as one of several workers; undefined if it runs alone or is the parent. */
export function makeWorkerMember() {
  if (!cluster.isWorker) return undefined
  const worker = Number(process.env[WORKER_VARIABLE])
  let states: readonly WorkerState[] = []
  let read: () => Promise<readonly CollectedMetric[]> = async () => []
  const collecting: ((all: readonly WorkerMetrics[]) => void)[] = []
  const replaced = Promise.withResolvers<void>()
  const tell = (message: ToParent): void => {
    // if the parent has ended, node:cluster ends this worker
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  process.on('message', async (message: ToWorker) => {
    if (message.kind === 'states') states = message.states
    else if (message.kind === 'replaced') replaced.resolve()
    else if (message.kind === 'metrics')
      tell({ kind: 'metrics', metrics: await read().catch(() => []) })
    else for (const resolve of collecting.splice(0)) resolve(message.all)
  })
  // lets the process end if its start fails, though the channel to the parent is open
  process.channel?.unref()
  return {
    worker,
    /** Whether the worker started beside the process that it replaces, which still runs. */
    isReplacing: Boolean(process.env[REPLACING_VARIABLE]),
    /** Resolves when another process serves in its place. */
    replaced: replaced.promise,
    states: () => states,
    serving: (url: string) => tell({ kind: 'serving', url }),
    /** Sets the function that reads this process's metrics whenever a worker collects them. */
    offer(metrics: typeof read): void {
      read = metrics
    },
    /** Returns the metrics of all workers that answer in time, or only its own if the parent does not. */
    async collect(): Promise<readonly WorkerMetrics[]> {
      const collected = new Promise<readonly WorkerMetrics[]>((resolve) => collecting.push(resolve))
      tell({ kind: 'collect' })
      const all = await limitTime(collected, COLLECT_MS).catch(() => [])
      return all.length > 0 ? all : [{ worker, metrics: await read() }]
    },
  }
}
