import cluster, { type Worker } from 'node:cluster'
import type { Logger } from '../log.ts'
import { limitTime } from '../tools/deadline.ts'
import { makeSerialQueue } from '../tools/repeat-work.ts'
import {
  type CollectedMetric,
  REPLACING_VARIABLE,
  type ToParent,
  type ToWorker,
  WORKER_VARIABLE,
  type WorkerState,
} from './worker-messages.ts'

/** The pause before a worker's restart doubles each time it ends sooner than this after its start. */
const STEADY_MS = 60_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]
const PATIENCE_MS = 2_000
/** A worker that does not stop is killed after this time. Finishing its requests takes less. */
const STOP_MS = 12_000
/** The same of a worker that was replaced: it may finish longer requests. */
const REPLACED_MS = 40_000

/** A worker's number and state. They are kept when a new process replaces the worker's process. */
interface WorkerSlot {
  info: WorkerState
  process?: Worker | undefined
  quickEnds: number
  timer?: NodeJS.Timeout
  readonly waiting: ((metrics: readonly CollectedMetric[]) => void)[]
}

interface SupervisorOptions {
  readonly count: number
  /** How long workers keep serving after the signal to stop. */
  readonly stopDelaySeconds: number
  readonly env: Readonly<Record<string, string>>
  /** Whether the port is an inherited socket. `node:cluster` closes it when the last worker has ended. */
  readonly isInherited: boolean
}

/** Whether a process has begun to serve, or with which code it ended before. */
type Begun = { readonly url: string } | { readonly exitCode: number }

/** The parent of the workers behind one port: starts, restarts, replaces and informs them. */
export function startSupervisor(options: SupervisorOptions, log: Logger) {
  const { count, stopDelaySeconds, env, isInherited } = options
  const slots = Array.from({ length: count }, (_, i): WorkerSlot => {
    const started = new Date().toISOString()
    return {
      info: { worker: i + 1, state: 'starting', restarts: 0, started },
      quickEnds: 0,
      waiting: [],
    }
  })
  /** All processes of workers, with those that another one has replaced and that have not ended yet. */
  const processes = new Set<Worker>()
  const inTurn = makeSerialQueue()
  let isStopping = false
  /** Whether the first worker has begun to serve. If it ends before that, no worker is restarted. */
  let hasServed = false
  const allEnded = Promise.withResolvers<void>()

  /** Starts a process of a worker. Resolves when it serves or has ended. */
  function launch(slot: WorkerSlot, more: Readonly<Record<string, string>> = {}) {
    const begun = Promise.withResolvers<Begun>()
    const own = { ...env, ...more, [WORKER_VARIABLE]: String(slot.info.worker) }
    const launched = cluster.fork(own)
    processes.add(launched)
    launched.on('message', (message: ToParent) => {
      if (message.kind === 'serving') begun.resolve({ url: message.url })
      else if (message.kind === 'collect') void collect(launched)
      else for (const resolve of slot.waiting.splice(0)) resolve(message.metrics)
    })
    launched.on('error', () => {}) // a message to a process that is ending
    launched.once('exit', (code, signal) => {
      processes.delete(launched)
      begun.resolve({ exitCode: code || 1 })
      if (slot.process === launched) noteEnd(slot, { code, signal })
      resolveIfAllEnded()
    })
    return { launched, begun: begun.promise }
  }

  async function start(slot: WorkerSlot): Promise<Begun> {
    slot.info = { ...slot.info, state: 'starting', started: new Date().toISOString() }
    const { launched, begun } = launch(slot)
    slot.process = launched
    const result = await begun
    if ('url' in result) noteServing(slot)
    return result
  }

  function noteServing(slot: WorkerSlot): void {
    slot.info = { ...slot.info, state: 'serving' }
    hasServed = true
    sendStates()
  }

  /** Restarts a worker that has ended unexpectedly, after a pause. */
  function noteEnd(
    slot: WorkerSlot,
    end: { readonly code: number; readonly signal: string },
  ): void {
    slot.process = undefined
    slot.info = { ...slot.info, state: 'down' }
    sendStates()
    if (isStopping || !hasServed) return
    if (isInherited && processes.size === 0) {
      process.exitCode = 1
      log.error(
        end,
        'the last worker exited and its socket is closed, the service must be restarted',
      )
      return
    }
    const ranMs = Date.now() - Date.parse(slot.info.started)
    slot.quickEnds = ranMs < STEADY_MS ? slot.quickEnds + 1 : 1
    slot.info = { ...slot.info, restarts: slot.info.restarts + 1 }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (slot.quickEnds - 1))
    slot.timer = setTimeout(() => void start(slot), pauseMs)
    log.error({ worker: slot.info.worker, ...end, pauseMs }, 'a worker exited, restarting it')
  }

  /** Starts a process beside the worker's present one, which ends when the new one serves. */
  async function replace(slot: WorkerSlot): Promise<boolean> {
    const started = new Date().toISOString()
    const { launched, begun } = launch(slot, { [REPLACING_VARIABLE]: '1' })
    if ('exitCode' in (await begun)) return false
    clearTimeout(slot.timer)
    const former = slot.process
    slot.process = launched
    slot.info = { ...slot.info, started }
    noteServing(slot)
    if (former) await retire(former)
    return true
  }

  async function retire(former: Worker): Promise<void> {
    const ended = new Promise((resolve) => former.once('exit', resolve))
    sendMessage(former, { kind: 'replaced' })
    const late = setTimeout(() => former.process.kill('SIGKILL'), REPLACED_MS)
    await ended
    clearTimeout(late)
  }

  async function replaceAll(): Promise<boolean> {
    for (const slot of slots) if (isStopping || !(await replace(slot))) return false
    return true
  }

  function sendMessage(worker: Worker | undefined, message: ToWorker): void {
    if (worker?.isConnected()) worker.send(message)
  }

  function sendStates(): void {
    const states = slots.map(({ info }) => info)
    for (const one of processes) sendMessage(one, { kind: 'states', states })
  }

  /** A worker's metrics; undefined if it does not answer in time. */
  async function collectMetrics(slot: WorkerSlot) {
    const answer = new Promise<readonly CollectedMetric[]>((resolve) => slot.waiting.push(resolve))
    sendMessage(slot.process, { kind: 'metrics' })
    const metrics = await limitTime(answer, PATIENCE_MS).catch(() => undefined)
    return metrics && { worker: slot.info.worker, metrics }
  }

  async function collect(asker: Worker): Promise<void> {
    const serving = slots.filter(({ info }) => info.state === 'serving')
    const answers = await Promise.all(serving.map(collectMetrics))
    sendMessage(asker, {
      kind: 'collected',
      all: answers.filter((answer) => answer !== undefined),
    })
  }

  /** Sends a signal to all workers and cancels pending restarts. */
  function endAll(signal: NodeJS.Signals): void {
    for (const { timer } of slots) clearTimeout(timer)
    for (const one of processes) one.process.kill(signal)
  }

  function resolveIfAllEnded(): void {
    if (isStopping && processes.size === 0) allEnded.resolve()
  }

  return {
    /** Starts the first worker, and the others once it serves. Returns its URL, or exit code if it ends. */
    async start(): Promise<Begun> {
      const [one, ...others] = slots
      const result = await start(one!)
      if ('url' in result && !isStopping) for (const slot of others) void start(slot)
      return result
    },
    /**
     * Replaces the processes of all workers, one after the other: a new one serves before the old one ends.
     * False if a new one does not start: then the others stay.
     */
    replace: (): Promise<boolean> => inTurn(replaceAll),
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
