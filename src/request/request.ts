import { accountHolder, type Holder } from '../admission/holder.ts'
import { type Collection, DEVICES_ID, SUPERUSERS, USERS_ID, userHolder } from '../collections/catalog.ts'
import { ApiError, badRequest } from '../errors.ts'
import type { Value } from '../fields/field.ts'

export type RequestContext =
  | 'default'
  | 'oauth2'
  | 'otp'
  | 'password'
  | 'realtime'
  | 'protectedFile'
  | 'batch'
  | 'expand'

/** What a member may do for an account: see `records/access`. */
export type Role = 'viewer' | 'agent' | 'admin'

export interface Actor {
  readonly id: string
  readonly role: Role
  /** The part of a token's signing key that comes from the membership and the member's own record. */
  readonly key: string
}

/** The limits of a caller: a role, or `none` for a user without an account who acts for no account. */
export type Limits = Role | 'none'

/** The caller: a record of an auth collection whose token was checked. `authRecord` makes it. */
export interface AuthRecord {
  readonly collection: Collection
  readonly id: string
  readonly values: Readonly<Record<string, Value>>
  /** `xmin` of the row when the values were read: the row's `xmin` differs after any change. */
  readonly version: string
  /** Whether the user, a device's user or the acting member is disabled or has no account left. */
  readonly isDisabled: boolean
  readonly isSuperuser: boolean
  readonly actor: Actor | undefined
  /** Undefined for the account itself, whom no role limits. */
  readonly limits: Limits | undefined
  /** Who acts: the id of the member, else of the record. For users, the table `senders` has this id. */
  readonly sender: string
  /** The account whose limits count: a device's user; for a member, the account that the member acts for. */
  readonly holder: Holder
}

/** A record of an auth collection as a caller; `actor`: the member who acts for it. */
export function authRecord(
  collection: Collection,
  values: AuthRecord['values'],
  version: string,
  { isDisabled = false, actor }: Partial<Pick<AuthRecord, 'isDisabled' | 'actor'>> = {},
): AuthRecord {
  const id = String(values.id ?? '')
  const isMemberOnly = collection.id === USERS_ID && values.member_only === true
  return {
    collection,
    id,
    values,
    version,
    isDisabled,
    isSuperuser: collection.name === SUPERUSERS,
    actor,
    limits: actor?.role ?? (isMemberOnly ? 'none' : undefined),
    sender: actor?.id ?? id,
    holder: collection.id === DEVICES_ID ? userHolder(String(values.user)) : accountHolder(collection.id, id),
  }
}

/** A request as rules and filters see it (`@request.*`). Contract 6.3. */
export interface RequestInfo {
  readonly context: RequestContext
  readonly method: string
  readonly query: Readonly<Record<string, string>>
  /** Names in snake_case, first values, without `host`. A function, because few rules need the headers. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly auth: AuthRecord | null
  /** Limits records and bytes of the whole answer. If absent, each part of it has its own limits. */
  readonly meter?: AnswerMeter | undefined
}

/** A request without a caller, for statements without an API rule and for checks of a rule's syntax. */
export const NO_REQUEST: RequestInfo = Object.freeze({
  context: 'default',
  method: 'GET',
  query: {},
  headers: () => ({}),
  body: {},
  auth: null,
})

/** A request by the server itself, with a superuser's rights. `superusers`: their collection. */
export const serverRequest = (
  superusers: Collection,
  body: Readonly<Record<string, unknown>>,
): RequestInfo => ({
  ...NO_REQUEST,
  method: 'POST',
  body,
  auth: authRecord(superusers, {}, ''),
})

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
    throw badRequest(`"fields" can pick from at most ${MAX_PICKED_BYTES / MEBIBYTE} MiB. Expand less`)
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

  constructor(source = () => ENDLESS, room = 0, maxBytes = MAX_ANSWER_BYTES, maxExpanded = MAX_EXPANDED) {
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

export const meterOf = ({ meter }: Pick<RequestInfo, 'meter'>): AnswerMeter => meter ?? new AnswerMeter()
