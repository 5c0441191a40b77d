import cluster, { type Worker } from 'node:cluster'
import { WORKER_VARIABLE } from './member.ts'
import type { ToParent, ToWorker, WorkerState } from './messages.ts'

/** One that ends sooner after its start waits longer for the next one, each time twice as long. */
const STEADY_MS = 60_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]

export interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
}

/** What the parent does about a worker. */
export interface WorkerEvents {
  heard(worker: WorkerProcess, message: ToParent): void
  ended(worker: WorkerProcess, end: WorkerEnd): void
}

/** One worker as the parent has it: a place with a number, in which one process follows another. */
export class WorkerProcess {
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
      this.#events.heard(this, message)
    })
    started.on('error', () => {}) // a message to one that ends just then
    started.once('exit', (code, signal) => {
      this.#process = undefined
      this.#isServing = false
      this.#isDown = true
      this.#events.ended(this, { code, signal })
    })
  }

  /** Starts it again after a pause, which it answers in ms. */
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

  /** Sends a signal, and does not start it again. */
  end(signal: NodeJS.Signals): void {
    clearTimeout(this.#timer)
    this.#process?.process.kill(signal)
  }
}
