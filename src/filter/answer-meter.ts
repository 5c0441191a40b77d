import { badRequest, TooMany } from '../errors.ts'

/** Records that `expand` may put into one answer. The same record in two places counts twice. */
export const MAX_EXPANDED = 20_000
/** Bytes that one answer may have. */
export const MAX_ANSWER_BYTES = 32 << 20
/** An answer up to this size needs no room of its own. */
const FREE_BYTES = 1 << 20
const GROWTH = 8
const RETRY_SECONDS = 10

/**
 * An answer turned out to need more room than is free right now. Nothing was answered or committed: whoever makes it
 * may wait for `bytes` and run again. Otherwise it is a 503.
 */
export class LargeAnswer extends TooMany {
  readonly bytes: number

  constructor(bytes: number) {
    super(503, RETRY_SECONDS, 'Too many large answers at once')
    this.bytes = bytes
  }
}

const MEBIBYTE = 1 << 20

/** The 400 for an answer that would be larger than `max` bytes. */
export const answerTooLarge = (max: number) =>
  badRequest(`The answer would be larger than ${max / MEBIBYTE} MiB. Ask for fewer records or expand less`)

/** Takes room for so many bytes in all, if there is any right now. */
export type Reserve = (bytes: number) => boolean

/**
 * Counts what goes into one answer while it is made, so that a request that asks for too much ends before the memory
 * is spent. Beyond the first mebibyte it reserves room by `reserve`; without one it only knows its ceiling.
 */
export class AnswerMeter {
  readonly #reserve: Reserve
  readonly #maxBytes: number
  #room: number
  #expanded = 0
  #read = 0
  #written = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(reserve: Reserve = () => true, room = FREE_BYTES, maxBytes = MAX_ANSWER_BYTES) {
    this.#reserve = reserve
    this.#maxBytes = maxBytes
    this.#room = Math.min(Math.max(room, FREE_BYTES), maxBytes)
  }

  /** Bytes that may still be read from the database with the present room. */
  get unread(): number {
    return Math.max(0, this.#room - this.#read)
  }

  /** How many more records `expand` may add. */
  get expandable(): number {
    return MAX_EXPANDED - this.#expanded
  }

  /** Throws 400 if so many more expanded records are too many. */
  checkExpanded(count: number): void {
    if (count <= this.expandable) return
    throw badRequest(
      `The answer would have more than ${MAX_EXPANDED} expanded records. Ask for fewer records or expand less`,
    )
  }

  /** Counts the expanded records of a finished part of the answer. */
  addExpanded(count: number): void {
    this.checkExpanded(count)
    this.#expanded += count
  }

  /** Counts bytes that were read from the database. Throws as `check`. */
  addRead(bytes: number): void {
    this.#read += bytes
    this.#ensure(this.#read)
  }

  /** Throws 400 if so many more bytes of text make the answer too large, LargeAnswer if there is no room for them now. */
  check(bytes: number): void {
    this.#ensure(this.#written + bytes)
  }

  /** Counts the text of a finished part of the answer. */
  addWritten(bytes: number): void {
    this.#written += bytes
  }

  /** The same for a record that stands alone in its answer: it may be as large as its fields allow. */
  checkAlone(bytes: number): void {
    this.#ensure(Math.min(this.#written + bytes, this.#maxBytes))
  }

  /** Makes more room. `mayRetry`: the caller can repeat its statement; otherwise all of the work has to be repeated. */
  grow(mayRetry: boolean): void {
    if (this.#room >= this.#maxBytes) throw answerTooLarge(this.#maxBytes)
    const next = Math.min(this.#room * GROWTH, this.#maxBytes)
    if (!mayRetry) throw new LargeAnswer(next)
    this.#take(next)
  }

  /** Runs `work` when what came before it is done, so that statements share the room that is left. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  #ensure(bytes: number): void {
    if (bytes <= this.#room) return
    if (bytes > this.#maxBytes) throw answerTooLarge(this.#maxBytes)
    let next = this.#room
    while (next < bytes) next *= 2
    this.#take(Math.min(next, this.#maxBytes))
  }

  #take(bytes: number): void {
    if (!this.#reserve(bytes)) throw new LargeAnswer(bytes)
    this.#room = bytes
  }
}
