import { ApiError, badRequest } from '../errors.ts'

/** Records that `expand` may put into one answer. The same record in two places counts twice. */
export const MAX_EXPANDED = 20_000
/** Bytes that one answer may have. */
export const MAX_ANSWER_BYTES = 32 << 20
/** An answer up to this size needs no room of its own. */
export const FREE_BYTES = 1 << 20
/** A text from which `fields` picks becomes objects that take ten times as much memory. */
const MAX_PICKED_BYTES = 8 << 20

const MEBIBYTE = 1 << 20

/** The answer would have more records or bytes than one may have. */
export class AnswerTooLarge extends ApiError {
  constructor(limit: string) {
    super(400, `The answer would have more than ${limit}. Ask for fewer records or expand less`)
  }
}

/** Throws 400 for a text from which `fields` cannot pick. */
export function checkPicked(bytes: number): void {
  if (bytes > MAX_PICKED_BYTES)
    throw badRequest(`"fields" can pick from at most ${MAX_PICKED_BYTES / MEBIBYTE} MiB. Expand less`)
}

/** Memory of an answer. Both throw RetryLater when there is none. */
export interface Room {
  /** Has room for this many bytes in all. */
  hold(bytes: number): void
  /** Waits until there is room for this many bytes in all. */
  wait(bytes: number): Promise<void>
}

const ENDLESS: Room = { hold: () => {}, wait: async () => {} }

/** An answer in a transaction exceeds the first mebibyte. Nothing was committed: repeat it after `wait`. */
export class LargeAnswer extends AnswerTooLarge {
  readonly wait: () => Promise<void>

  constructor(wait: () => Promise<void>) {
    super('1 MiB')
    this.wait = wait
  }
}

/**
 * Counts what goes into one answer while it is made, so that a request that asks for too much ends before the
 * memory is spent. Beyond the first mebibyte it takes room; without one it only knows its ceilings.
 */
export class AnswerMeter {
  readonly #source: () => Room
  readonly #maxBytes: number
  readonly #maxExpanded: number
  #room: number
  #expanded = 0
  #read = 0
  #written = 0
  #turn: Promise<unknown> = Promise.resolve()

  /** `room`: bytes that were taken already. */
  constructor(source = () => ENDLESS, room = 0, maxBytes = MAX_ANSWER_BYTES, maxExpanded = MAX_EXPANDED) {
    this.#source = source
    this.#maxBytes = maxBytes
    this.#maxExpanded = maxExpanded
    this.#room = Math.min(Math.max(room, FREE_BYTES), maxBytes)
  }

  /** Bytes that may still be read from the database with the present room. */
  get unread(): number {
    return Math.max(0, this.#room - this.#read)
  }

  /** How many more records `expand` may add. */
  get expandable(): number {
    return this.#maxExpanded - this.#expanded
  }

  /** Throws 400 if this many more expanded records are too many. */
  checkExpanded(count: number): void {
    if (count <= this.expandable) return
    throw new AnswerTooLarge(`${this.#maxExpanded} expanded records`)
  }

  addExpanded(count: number): void {
    this.checkExpanded(count)
    this.#expanded += count
  }

  /** Counts bytes that were read from the database. Throws as `check`. */
  addRead(bytes: number): void {
    this.#read += bytes
    this.#ensure(this.#read)
  }

  /** Throws 400 if this many more bytes of text make the answer too large, RetryLater if there is no room. */
  check(bytes: number): void {
    this.#ensure(this.#written + bytes)
  }

  /** Checks and counts a finished part. A record alone in the answer may be as large as its fields allow. */
  addWritten(bytes: number, isAlone: boolean): void {
    const isOnly = isAlone && this.#written === 0
    this.#ensure(isOnly ? Math.min(bytes, this.#maxBytes) : this.#written + bytes)
    this.#written += bytes
  }

  /** Waits for all the room that one answer may have. Throws RetryLater; 400 if that was not enough. */
  async takeAll(): Promise<void> {
    if (this.#room >= this.#maxBytes) throw this.tooLarge()
    await this.#source().wait(this.#maxBytes)
    this.#room = this.#maxBytes
  }

  /** Throws LargeAnswer, which repeats the work with all the room; 400 if it had that already. */
  beginAgain(): never {
    if (this.#room >= this.#maxBytes) throw this.tooLarge()
    throw new LargeAnswer(() => this.#source().wait(this.#maxBytes))
  }

  tooLarge(): AnswerTooLarge {
    return new AnswerTooLarge(`${this.#maxBytes / MEBIBYTE} MiB`)
  }

  /** Runs `work` when what came before it is done, so that statements share the room that is left. */
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

/** The meter of a request; a new one with only the ceilings if it has none. */
export const meterOf = ({ meter }: { readonly meter?: AnswerMeter | undefined }): AnswerMeter =>
  meter ?? new AnswerMeter()
