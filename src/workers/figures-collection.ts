import type { Figure, WorkerFigures } from './messages.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A worker that does not answer by then is left out. */
const PATIENCE_MS = 2_000

interface Collection {
  readonly all: WorkerFigures[]
  /** Numbers of the workers that have not answered. */
  readonly missing: Set<number>
  readonly done: () => void
}

/** Asks workers for what they count, and gathers the answers. */
export class FiguresCollection {
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
