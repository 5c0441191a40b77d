import cluster, { type Worker } from 'node:cluster'
import type { Logger } from '../log.ts'
import { within } from '../tools/deadline.ts'
import {
  type Figure,
  type ToParent,
  type ToWorker,
  WORKER_VARIABLE,
  type WorkerFigures,
  type WorkerState,
} from './member.ts'

/** Restarts of a worker that ended sooner after its start wait twice as long each time. */
const STEADY_MS = 60_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]
/** Time limit for a worker's metrics. */
const PATIENCE_MS = 2_000

interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
}

interface WorkerEvents {
  heard(worker: WorkerProcess, message: ToParent): void
  ended(worker: WorkerProcess, end: WorkerEnd): void
}

/** The parent's view of a worker: a number, under which one process follows another. */
class WorkerProcess {
  readonly number: number
  readonly #env: Readonly<Record<string, string>>
  readonly #events: WorkerEvents
  #process: Worker | undefined
  #startedMs = Date.now()
  #isDown = false
  #quickEnds = 0
  #restarts = 0
  #isServing = false
  #timer: NodeJS.Timeout | undefined
  readonly #waiting: ((figures: readonly Figure[]) => void)[] = []

  constructor(number: number, env: Readonly<Record<string, string>>, events: WorkerEvents) {
    this.number = number
    this.#env = env
    this.#events = events
  }

  get isServing(): boolean {
    return this.#isServing
  }

  get hasProcess(): boolean {
    return this.#process !== undefined
  }

  get state(): WorkerState {
    return {
      worker: this.number,
      state: this.#isServing ? 'serving' : this.#isDown ? 'down' : 'starting',
      restarts: this.#restarts,
      started: new Date(this.#startedMs).toISOString(),
    }
  }

  start(): void {
    this.#startedMs = Date.now()
    this.#isDown = false
    const started = cluster.fork({ ...this.#env, [WORKER_VARIABLE]: String(this.number) })
    this.#process = started
    started.on('message', (message: ToParent) => {
      if (message.kind === 'serving') this.#isServing = true
      if (message.kind === 'figures') for (const resolve of this.#waiting.splice(0)) resolve(message.figures)
      else this.#events.heard(this, message)
    })
    started.on('error', () => {}) // a message to a process that is ending
    started.once('exit', (code, signal) => {
      this.#process = undefined
      this.#isServing = false
      this.#isDown = true
      this.#events.ended(this, { code, signal })
    })
  }

  /** Starts it again after a pause, whose milliseconds it returns. */
  startAgain(): number {
    const ranMs = Date.now() - this.#startedMs
    this.#quickEnds = ranMs < STEADY_MS ? this.#quickEnds + 1 : 1
    this.#restarts++
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#quickEnds - 1))
    this.#timer = setTimeout(() => this.start(), pauseMs)
    return pauseMs
  }

  tell(message: ToWorker): void {
    if (this.#process?.isConnected()) this.#process.send(message)
  }

  /** Its metrics; undefined if it does not answer in time. */
  async figures(): Promise<WorkerFigures | undefined> {
    const answer = new Promise<readonly Figure[]>((resolve) => this.#waiting.push(resolve))
    this.tell({ kind: 'figures' })
    const figures = await within(answer, PATIENCE_MS).catch(() => undefined)
    return figures && { worker: this.number, figures }
  }

  /** Sends a signal. It is not started again. */
  end(signal: NodeJS.Signals): void {
    clearTimeout(this.#timer)
    this.#process?.process.kill(signal)
  }
}

/** Longer than a worker takes to finish its requests and stop. */
const STOP_MS = 12_000

interface SupervisorOptions {
  readonly count: number
  /** How long workers keep serving after they were told to stop. */
  readonly stopDelaySeconds: number
  /** Variables to add to the parent's environment. */
  readonly env: Readonly<Record<string, string>>
}

/** The parent of several workers behind one port: starts, restarts and informs them. */
export class Supervisor {
  readonly #workers: readonly WorkerProcess[]
  readonly #log: Logger
  readonly #stopMs: number
  #isStopping = false
  /** Set until the first worker serves. If it fails, all fail. */
  #first: { readonly serves: (url: string) => void; readonly fails: (code: number) => void } | undefined
  #allEnded: (() => void) | undefined

  constructor({ count, stopDelaySeconds, env }: SupervisorOptions, log: Logger) {
    this.#log = log
    this.#stopMs = stopDelaySeconds * 1000 + STOP_MS
    const events = {
      heard: (worker: WorkerProcess, message: ToParent) => this.#hear(worker, message),
      ended: (worker: WorkerProcess, end: WorkerEnd) => this.#ended(worker, end),
    }
    this.#workers = Array.from({ length: count }, (_, i) => new WorkerProcess(i + 1, env, events))
  }

  /** Starts the first worker, then the others. Returns its URL, or the exit code with which it ended. */
  async start(): Promise<{ readonly url: string } | { readonly exitCode: number }> {
    const [first, ...others] = this.#workers
    const begun = new Promise<{ url: string } | { exitCode: number }>((resolve) => {
      this.#first = { serves: (url) => resolve({ url }), fails: (exitCode) => resolve({ exitCode }) }
    })
    first!.start()
    const result = await begun
    this.#first = undefined
    if ('url' in result && !this.#isStopping) for (const worker of others) worker.start()
    return result
  }

  /** Stops all workers. Kills those that do not end in time. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const ended = new Promise<void>((resolve) => {
      this.#allEnded = resolve
    })
    this.#endAll('SIGTERM')
    const late = setTimeout(() => this.#endAll('SIGKILL'), this.#stopMs)
    this.#tellIfAllEnded()
    await ended
    clearTimeout(late)
  }

  #endAll(signal: NodeJS.Signals): void {
    for (const worker of this.#workers) worker.end(signal)
  }

  #hear(worker: WorkerProcess, message: ToParent): void {
    if (message.kind === 'serving') {
      this.#first?.serves(message.url)
      this.#tellStates()
    } else void this.#collect(worker)
  }

  /** Collects the metrics of all workers and sends them to `asker`. */
  async #collect(asker: WorkerProcess): Promise<void> {
    const serving = this.#workers.filter(({ isServing }) => isServing)
    const answers = await Promise.all(serving.map((worker) => worker.figures()))
    asker.tell({ kind: 'collected', all: answers.filter((answer) => answer !== undefined) })
  }

  #ended(worker: WorkerProcess, { code, signal }: WorkerEnd): void {
    this.#tellIfAllEnded()
    this.#tellStates()
    this.#first?.fails(code || 1)
    if (this.#isStopping || this.#first) return
    const pauseMs = worker.startAgain()
    this.#log.error({ worker: worker.number, code, signal, pauseMs }, 'a worker exited, restarting it')
  }

  #tellIfAllEnded(): void {
    if (this.#workers.every(({ hasProcess }) => !hasProcess)) this.#allEnded?.()
  }

  #tellStates(): void {
    const states = this.#workers.map(({ state }) => state)
    for (const worker of this.#workers) worker.tell({ kind: 'states', states })
  }
}
