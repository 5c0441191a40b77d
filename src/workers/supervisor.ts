import type { Logger } from '../log.ts'
import type { Figure, ToParent, WorkerFigures } from './messages.ts'
import { type WorkerEnd, WorkerProcess } from './worker-process.ts'

/** A worker that does not answer by then is left out. */
const PATIENCE_MS = 2_000

interface Collection {
  readonly all: WorkerFigures[]
  /** Numbers of the workers that have not answered. */
  readonly missing: Set<number>
  readonly done: () => void
}

/** Asks workers for what they count, and gathers the answers. */
class FiguresCollection {
  readonly #running = new Map<number, Collection>()
  #ids = 0

  /** The figures of these workers, by their numbers. */
  async collect(workers: readonly WorkerProcess[]): Promise<readonly WorkerFigures[]> {
    const id = ++this.#ids
    const all: WorkerFigures[] = []
    await new Promise<void>((done) => {
      this.#running.set(id, { all, missing: new Set(workers.map(({ number }) => number)), done })
      setTimeout(done, PATIENCE_MS).unref()
      for (const worker of workers) worker.tell({ kind: 'figures', id })
      if (workers.length === 0) done()
    })
    this.#running.delete(id)
    return all.sort((a, b) => a.worker - b.worker)
  }

  /** A worker answers. */
  add(id: number, worker: number, figures: readonly Figure[]): void {
    const running = this.#running.get(id)
    if (!running?.missing.delete(worker)) return
    running.all.push({ worker, figures })
    if (running.missing.size === 0) running.done()
  }
}

/** What a worker takes at most to stop in good order, and a little more. */
const STOP_MS = 12_000

/** What the workers are and how they stop. */
export interface SupervisorOptions {
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
  readonly #figures = new FiguresCollection()
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
    } else if (message.kind === 'figures') this.#figures.add(message.id, worker.number, message.figures)
    else void this.#collect(worker, message.id)
  }

  async #collect(asker: WorkerProcess, id: number): Promise<void> {
    const serving = this.#workers.filter(({ isServing }) => isServing)
    const all = await this.#figures.collect(serving)
    asker.tell({ kind: 'collected', id, all })
  }

  #ended(worker: WorkerProcess, { code, signal }: WorkerEnd): void {
    this.#tellIfAllEnded()
    this.#tellStates()
    this.#first?.fails(code || 1)
    if (this.#isStopping || this.#first) return
    const pauseMs = worker.startAgain()
    this.#log.error({ worker: worker.number, code, signal, pauseMs }, 'a worker ended and is started again')
  }

  #tellIfAllEnded(): void {
    if (this.#workers.every(({ hasProcess }) => !hasProcess)) this.#allEnded?.()
  }

  #tellStates(): void {
    const states = this.#workers.map(({ state }) => state)
    for (const worker of this.#workers) worker.tell({ kind: 'states', states })
  }
}
