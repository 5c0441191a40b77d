import cluster, { type Worker } from 'node:cluster'
import type { Logger } from '../log.ts'
import {
  type Figure,
  type ToParent,
  type ToWorker,
  WORKER_VARIABLE,
  type WorkerFigures,
  type WorkerState,
} from './member.ts'

/** One that ends sooner after its start waits longer for the next one, each time twice as long. */
const STEADY_MS = 60_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]

interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
}

interface WorkerEvents {
  heard(worker: WorkerProcess, message: ToParent): void
  ended(worker: WorkerProcess, end: WorkerEnd): void
}

/** One worker as the parent has it: a place with a number, in which one process follows another. */
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

/** A worker that does not answer by then is left out. */
const PATIENCE_MS = 2_000

interface Collection {
  readonly all: WorkerFigures[]
  /** Numbers of the workers that have not answered. */
  readonly missing: Set<number>
  readonly done: () => void
}

/** What a worker takes at most to stop in good order, and a little more. */
const STOP_MS = 12_000

interface SupervisorOptions {
  readonly count: number
  /** How long workers go on after they were told to stop. */
  readonly stopDelaySeconds: number
  /** What their environment has beside the parent's. */
  readonly env: Readonly<Record<string, string>>
}

/** The parent of several workers behind one port: starts, restarts and informs them. */
export class Supervisor {
  readonly #workers: readonly WorkerProcess[]
  readonly #log: Logger
  readonly #stopMs: number
  readonly #collections = new Map<number, Collection>()
  #ids = 0
  #isStopping = false
  /** Set until the first worker serves, whose failure is the failure of the whole. */
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

  /** Tells all workers to stop, waits for them, and kills what has not ended in time. */
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
    } else if (message.kind === 'figures') this.#addFigures(message.id, worker.number, message.figures)
    else void this.#collect(worker, message.id)
  }

  /** Asks the workers for what they count, and tells `asker`. */
  async #collect(asker: WorkerProcess, asked: number): Promise<void> {
    const serving = this.#workers.filter(({ isServing }) => isServing)
    const id = ++this.#ids
    const all: WorkerFigures[] = []
    await new Promise<void>((done) => {
      this.#collections.set(id, { all, missing: new Set(serving.map(({ number }) => number)), done })
      setTimeout(done, PATIENCE_MS).unref()
      for (const worker of serving) worker.tell({ kind: 'figures', id })
      if (serving.length === 0) done()
    })
    this.#collections.delete(id)
    asker.tell({ kind: 'collected', id: asked, all: all.sort((a, b) => a.worker - b.worker) })
  }

  #addFigures(id: number, worker: number, figures: readonly Figure[]): void {
    const running = this.#collections.get(id)
    if (!running?.missing.delete(worker)) return
    running.all.push({ worker, figures })
    if (running.missing.size === 0) running.done()
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
