import { ApiError, badRequest } from '../../platform/api-errors.ts'

/** Maximum records that `expand` adds to an answer. A record in two places counts twice. */
export const MAX_EXPANDED = 20_000
export const MAX_ANSWER_BYTES = 32 << 20
/** Answers up to this size reserve no memory while they are made. */
export const FREE_BYTES = 1 << 20
/** Maximum bytes of JSON that `fields` can filter. Parsed into objects, it takes ten times the memory. */
const MAX_PICKED_BYTES = 8 << 20

const MEBIBYTE = 1 << 20

export class AnswerTooLarge extends ApiError {
  constructor(limit: string) {
    super(400, `The answer would have more than ${limit}. Ask for fewer records or expand less`)
  }
}

/** Throws 400 if JSON is too large for the `fields` parameter. */
export function checkPicked(bytes: number): void {
  if (bytes > MAX_PICKED_BYTES)
    throw badRequest(
      `"fields" can pick from at most ${MAX_PICKED_BYTES / MEBIBYTE} MiB. Expand less`,
    )
}

interface Room {
  hold(bytes: number): void
  wait(bytes: number): Promise<void>
}

const ENDLESS: Room = { hold: () => {}, wait: async () => {} }

/**
 * An answer in a transaction exceeds 1 MiB. Nothing was committed: call `wait`, which reserves memory for the
 * largest answer, then repeat the work.
 */
export class LargeAnswer extends AnswerTooLarge {
  readonly wait: () => Promise<void>

  constructor(wait: () => Promise<void>) {
    super('1 MiB')
    this.wait = wait
  }
}

/** Limits an answer's records and bytes. Beyond the first mebibyte it reserves memory from `source`. */
export class AnswerMeter {
  readonly #source: () => Room
  readonly #maxBytes: number
  readonly #maxExpanded: number
  #room: number
  #expanded = 0
  #read = 0
  #written = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    source = () => ENDLESS,
    room = 0,
    maxBytes = MAX_ANSWER_BYTES,
    maxExpanded = MAX_EXPANDED,
  ) {
    this.#source = source
    this.#maxBytes = maxBytes
    this.#maxExpanded = maxExpanded
    this.#room = Math.min(Math.max(room, FREE_BYTES), maxBytes)
  }

  /** Bytes that may still be read from the database without reserving more. */
  get unread(): number {
    return Math.max(0, this.#room - this.#read)
  }

  checkExpanded(count: number): void {
    if (count <= this.#maxExpanded - this.#expanded) return
    throw new AnswerTooLarge(`${this.#maxExpanded} expanded records`)
  }

  addExpanded(count: number): void {
    this.checkExpanded(count)
    this.#expanded += count
  }

  addRead(bytes: number): void {
    this.#read += bytes
    this.#ensure(this.#read)
  }

  /** Throws 400 if this many more bytes make the answer too large, RetryLater if no memory is free. */
  check(bytes: number): void {
    this.#ensure(this.#written + bytes)
  }

  /** Checks and counts a finished part. A record that is alone in the answer may exceed the maximum. */
  addWritten(bytes: number, isAlone: boolean): void {
    const isOnly = isAlone && this.#written === 0
    this.#ensure(isOnly ? Math.min(bytes, this.#maxBytes) : this.#written + bytes)
    this.#written += bytes
  }

  /**
   * Reserves memory for the largest answer. Throws RetryLater after a wait, 400 if it is reserved already.
   */
  async takeAll(): Promise<void> {
    if (this.#room >= this.#maxBytes) throw this.tooLarge()
    await this.#source().wait(this.#maxBytes)
    this.#room = this.#maxBytes
  }

  /** Throws LargeAnswer, to start again with memory for the largest answer; 400 if it is reserved already. */
  beginAgain(): never {
    if (this.#room >= this.#maxBytes) throw this.tooLarge()
    throw new LargeAnswer(() => this.#source().wait(this.#maxBytes))
  }

  tooLarge(): AnswerTooLarge {
    return new AnswerTooLarge(`${this.#maxBytes / MEBIBYTE} MiB`)
  }

  /** Runs `work` after earlier work. Concurrent statements would each use all bytes that are left. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  #ensure(bytes: number): void {
    if (bytes <= this.#room) return
    if (bytes > this.#maxBytes) throw this.tooLarge()
    let next = this.#room
    while (next < bytes) next *= 2
    next = Math.min(next, this.#maxBytes)
    this.#source().hold(next)
    this.#room = next
  }
}
