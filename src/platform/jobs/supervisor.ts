import cluster, { type Worker } from 'node:cluster'
import type { Logger } from '../log.ts'
import { limitTime } from '../tools/deadline.ts'
import {
  type Figure,
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
  /** How long workers keep serving after the signal to stop. */
  readonly stopDelaySeconds: number
  readonly env: Readonly<Record<string, string>>
}

/** The parent of several workers behind one port: starts, restarts and informs them. */
export function startSupervisor({ count, stopDelaySeconds, env }: SupervisorOptions, log: Logger) {
  const slots = Array.from({ length: count }, (_, i): WorkerSlot => {
    const started = new Date().toISOString()
    return {
      info: { worker: i + 1, state: 'starting', restarts: 0, started },
      quickEnds: 0,
      waiting: [],
    }
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
        sendStates()
      } else if (message.kind === 'collect') void collect(slot)
      else for (const resolve of slot.waiting.splice(0)) resolve(message.figures)
    })
    started.on('error', () => {}) // a message to a process that is ending
    started.once('exit', (code, signal) => {
      slot.process = undefined
      slot.info = { ...slot.info, state: 'down' }
      resolveIfAllEnded()
      sendStates()
      first.resolve({ exitCode: code || 1 })
      if (isStopping || !hasServed) return
      const ranMs = Date.now() - Date.parse(slot.info.started)
      slot.quickEnds = ranMs < STEADY_MS ? slot.quickEnds + 1 : 1
      slot.info = { ...slot.info, restarts: slot.info.restarts + 1 }
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (slot.quickEnds - 1))
      slot.timer = setTimeout(() => start(slot), pauseMs)
      log.error(
        { worker: slot.info.worker, code, signal, pauseMs },
        'a worker exited, restarting it',
      )
    })
  }

  function sendToWorker(slot: WorkerSlot, message: ToWorker): void {
    if (slot.process?.isConnected()) slot.process.send(message)
  }

  function sendStates(): void {
    const states = slots.map(({ info }) => info)
    for (const slot of slots) sendToWorker(slot, { kind: 'states', states })
  }

  /** A worker's metrics; undefined if it does not answer in time. */
  async function figuresOf(slot: WorkerSlot) {
    const answer = new Promise<readonly Figure[]>((resolve) => slot.waiting.push(resolve))
    sendToWorker(slot, { kind: 'figures' })
    const figures = await limitTime(answer, PATIENCE_MS).catch(() => undefined)
    return figures && { worker: slot.info.worker, figures }
  }

  async function collect(asker: WorkerSlot): Promise<void> {
    const serving = slots.filter(({ info }) => info.state === 'serving')
    const answers = await Promise.all(serving.map(figuresOf))
    sendToWorker(asker, {
      kind: 'collected',
      all: answers.filter((answer) => answer !== undefined),
    })
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
