import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from '../../log.ts'
import { DatabaseUnavailable } from '../errors.ts'
import type { FromWorker, ToWorker, WorkerOptions } from './messages.ts'

/**
 * A canceled statement ends within milliseconds. One that has not ended by then never will: its thread is
 * ended instead.
 */
const CANCEL_MS = 5_000
const RESTART_MS = 1_000
/** How often the time of the running statement is looked at. */
const LOOK_MS = 25
/** Statements wait so long for a database that has ended; later ones fail at once until it runs again. */
const PATIENCE_MS = 10_000
/** The thread makes few objects of its own; V8 would keep up to 48 MB for new ones. */
const YOUNG_OBJECTS_MB = 4

/** What cancels the running statement: a part of Postgres' memory, and addresses in it. */
interface Thread {
  readonly worker: Worker
  readonly words: Int32Array
  readonly interrupt: number
  readonly cancel: number
  /** How many requests the thread has begun. */
  readonly begun: Int32Array
}

interface Request {
  /** Of this thread's requests, from 1. */
  readonly number: number
  /** Whether to cancel it after so long. */
  readonly isOver: (ranMs: number) => boolean
  readonly resolve: (answer: Uint8Array<ArrayBuffer>) => void
  readonly reject: (error: Error) => void
}

/** A request that the database never began: it may be made again. */
export class RequestNotStarted extends Error {}

/**
 * The embedded database on a thread of its own. Requests are run one after the other. When the thread ends by
 * itself, or had to be ended, it is started again: the request that ran then fails with DatabaseUnavailable,
 * since nobody knows whether it was committed; those behind it fail with RequestNotStarted.
 */
export class Engine {
  readonly #options: Omit<WorkerOptions, 'begun'>
  readonly #log: Logger
  #thread: Thread | undefined
  /** Those that were not answered yet; the first one runs, since `#since`. */
  #requests: Request[] = []
  #since = 0
  #sent = 0
  #watch: NodeJS.Timeout | undefined
  #canceled: Request | undefined
  #restarting: Promise<void> | undefined
  #downSinceMs = 0
  #isClosed = false
  #starts = 0
  /** Called after each start but the first. */
  onRestart: () => void = () => {}

  private constructor(options: Omit<WorkerOptions, 'begun'>, log: Logger) {
    this.#options = options
    this.#log = log
  }

  /** Throws an Error with what Postgres says when the database does not start. */
  static async start(options: Omit<WorkerOptions, 'begun'>, log: Logger): Promise<Engine> {
    const engine = new Engine(options, log)
    await engine.#start()
    return engine
  }

  /**
   * How often the database was started. A session (transactions, prepared statements, LISTEN) ends with each
   * start.
   */
  get starts(): number {
    return this.#starts
  }

  /** Waits until the database runs. Throws DatabaseUnavailable when it has been down for too long. */
  async ready(): Promise<void> {
    if (this.#isClosed) throw new DatabaseUnavailable(new Error('The database is closed.'))
    if (!this.#restarting) return
    const leftMs = this.#downSinceMs + PATIENCE_MS - performance.now()
    if (leftMs > 0) await Promise.race([this.#restarting, sleep(leftMs, undefined, { ref: false })])
    if (!this.#thread)
      throw new DatabaseUnavailable(new Error('The embedded database is being started again.'))
  }

  /**
   * One request in Postgres' protocol messages; the messages of its answer. Requests are begun in the order
   * of the calls. It is canceled (SQLSTATE 57014) when `isOver` says so, which is asked every few
   * milliseconds from when it began. Throws DatabaseUnavailable if the database ended meanwhile, and if
   * `start` is given and is not the current one; RequestNotStarted if it ended before.
   */
  ask(request: Uint8Array, isOver: Request['isOver'], start?: number): Promise<Uint8Array<ArrayBuffer>> {
    const thread = this.#thread
    if (!thread || this.#isClosed || (start !== undefined && start !== this.#starts))
      return Promise.reject(new DatabaseUnavailable(new Error('The embedded database was started again.')))
    return new Promise((resolve, reject) => {
      if (this.#requests.length === 0) this.#since = performance.now()
      this.#requests.push({ number: ++this.#sent, isOver, resolve, reject })
      this.#watch ??= setInterval(() => this.#look(), LOOK_MS)
      this.#post(thread, request)
    })
  }

  /** Cancels what runs, refuses what is asked from now on: the database is to be closed. */
  endWork(): void {
    this.#isClosed = true
    this.#cancel()
  }

  /** Closes the database. To be called when nothing runs. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#restarting
    const thread = this.#thread
    if (!thread) return
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve))
    this.#post(thread, 'close')
    await ended
  }

  #post(thread: Thread, message: ToWorker): void {
    thread.worker.postMessage(message)
  }

  /** Cancels a request that has run for too long; ends the thread if that did not help. */
  #look(): void {
    const [running] = this.#requests
    if (!running) {
      clearInterval(this.#watch)
      this.#watch = undefined
      return
    }
    const ms = performance.now() - this.#since
    if (this.#canceled === running && ms < CANCEL_MS) {
      // Postgres forgets a cancellation that comes while it still reads the statement
      this.#signal(running)
    } else if (this.#canceled === running) {
      this.#log.error('a statement could not be canceled: the embedded database is started again')
      void this.#thread?.worker.terminate()
    } else if (this.#isClosed || running.isOver(ms)) this.#cancel()
  }

  /** Cancels the request that runs, as a signal does on a server. From now on its time counts anew. */
  #cancel(): void {
    const [running] = this.#requests
    // its answer may be on its way: then another one runs
    if (!running || !this.#runs(running)) return
    this.#canceled = running
    this.#since = performance.now()
    this.#signal(running)
  }

  #runs({ number }: Request): boolean {
    return this.#thread !== undefined && Atomics.load(this.#thread.begun, 0) === number
  }

  #signal(running: Request): void {
    if (!this.#thread || !this.#runs(running)) return
    const { words, cancel, interrupt } = this.#thread
    Atomics.store(words, cancel / 4, 1)
    Atomics.store(words, interrupt / 4, 1)
  }

  async #start(): Promise<void> {
    this.#thread = await startThread(this.#options, (message) => this.#heard(message))
    this.#starts++
    this.#sent = 0
    this.#thread.worker.once('exit', () => this.#ended())
  }

  #heard(message: FromWorker): void {
    if (message.type === 'answer') this.#finish(message.bytes)
    else if (message.type === 'refused')
      this.#log.warn(
        { err: message.error },
        'this system does not sync folders: a power cut may undo the last changes',
      )
    else if (message.type === 'failed') this.#log.error({ err: message.error }, 'the embedded database ended')
  }

  #finish(answer: Uint8Array<ArrayBuffer>): void {
    this.#since = performance.now()
    this.#requests.shift()?.resolve(answer)
  }

  #ended(): void {
    // by the thread's own count: an answer may have been lost with it
    const begun = this.#thread ? Atomics.load(this.#thread.begun, 0) : 0
    this.#thread = undefined
    this.#downSinceMs = performance.now()
    if (!this.#isClosed) this.#restarting = this.#restart().finally(() => (this.#restarting = undefined))
    for (const { number, reject } of this.#requests.splice(0)) {
      const error = new Error('The embedded database ended while a statement ran.')
      reject(number <= begun ? new DatabaseUnavailable(error) : new RequestNotStarted())
    }
  }

  /** Starts the database until it runs: a full disk may be cleared. */
  async #restart(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#start()
        this.#log.warn('the embedded database was started again')
        if (!this.#isClosed) this.onRestart()
        return
      } catch (error) {
        this.#log.error({ err: error }, 'the embedded database does not start')
        await sleep(RESTART_MS)
      }
    }
  }
}

/** A thread whose database takes requests. `heard` gets all that it says later. */
function startThread(
  options: Omit<WorkerOptions, 'begun'>,
  heard: (message: FromWorker) => void,
): Promise<Thread> {
  const begun = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { ...options, begun } satisfies WorkerOptions,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_OBJECTS_MB },
  })
  return new Promise((resolve, reject) => {
    let said = ''
    worker.on('error', (error: Error) => heard({ type: 'failed', error: error.message }))
    worker.once('exit', () => reject(new Error(said || 'its thread ended')))
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'failed') said = message.error
      if (message.type !== 'ready') return heard(message)
      const { memory, interrupt, cancel } = message
      resolve({ worker, words: new Int32Array(memory), interrupt, cancel, begun })
    })
  })
}
