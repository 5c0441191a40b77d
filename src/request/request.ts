import { accountHolder, type Holder } from '../admission/holder.ts'
import { type Collection, DEVICES_ID, SUPERUSERS, USERS_ID, userHolder } from '../collections/catalog.ts'
import { ApiError, badRequest } from '../errors.ts'
import type { Value } from '../fields/field.ts'

/** `@request.context`. */
export type RequestContext =
  | 'default'
  | 'oauth2'
  | 'otp'
  | 'password'
  | 'realtime'
  | 'protectedFile'
  | 'batch'
  | 'expand'

/** What a member of an account may do: see `rules/roles`. */
export type Role = 'viewer' | 'agent' | 'admin'

/** The member who acts for an account. */
export interface Actor {
  /** Of the membership, and of its sender. */
  readonly id: string
  readonly role: Role
  /** The part of the token's key that the membership and the member's own record have. */
  readonly key: string
}

/** A member's role. `none`: the caller has no account and acts for none. It limits what the caller may do. */
export type Limits = Role | 'none'

/** The caller: a record of an auth collection whose token was checked. `authRecord` makes it. */
export interface AuthRecord {
  readonly collection: Collection
  readonly id: string
  /** Its columns by field name, hidden ones too. */
  readonly values: Readonly<Record<string, Value>>
  /** `xmin` of the row these values were read from: another value there means that they are old. */
  readonly version: string
  /**
   * The user (of a device: its owner) is disabled, or no longer a member. Never true of a request's caller.
   */
  readonly isDisabled: boolean
  readonly isSuperuser: boolean
  /** Undefined for a record's own token. */
  readonly actor: Actor | undefined
  /** Undefined for an account itself. */
  readonly limits: Limits | undefined
  /** The record of `senders`: a member's who acts for the account, else the account's. */
  readonly sender: string
  /** The account in limits: of a device its user, of a member the account that the member acts for. */
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

/** What rules and filters may ask of a request (`@request.*`). Contract 6.3. */
export interface RequestInfo {
  readonly context: RequestContext
  /** Upper-case. */
  readonly method: string
  /** First value of each key. */
  readonly query: Readonly<Record<string, string>>
  /** First value of each, names in snake_case, without `host`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly auth: AuthRecord | null
  /** Counts what goes into its answer. Without one each part of the answer has the ceilings for itself. */
  readonly meter?: AnswerMeter | undefined
}

export type RequestParts = Omit<RequestInfo, 'headers'>

/**
 * A request whose headers are only read when a rule asks for them. A class with its getter on the prototype:
 * an object with a getter of its own gets a shape of its own, which outlives it (a fifth of a request's time
 * went to the garbage collector that way), and so does an object made from another one by Object.create.
 */
export class LazyRequest implements RequestInfo {
  readonly context: RequestContext
  readonly method: string
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly auth: AuthRecord | null
  readonly meter: AnswerMeter | undefined
  readonly #readHeaders: () => Readonly<Record<string, string>>
  #headers: Readonly<Record<string, string>> | undefined

  constructor(parts: RequestParts, readHeaders: () => Readonly<Record<string, string>>) {
    this.context = parts.context
    this.method = parts.method
    this.query = parts.query
    this.body = parts.body
    this.auth = parts.auth
    this.meter = parts.meter
    this.#readHeaders = readHeaders
  }

  get headers() {
    this.#headers ??= this.#readHeaders()
    return this.#headers
  }
}

/** The same request with some parts changed. */
export function changeRequest(request: RequestInfo, changes: Partial<RequestParts>): RequestInfo {
  const { context, method, query, body, auth, meter } = request
  const parts = { context, method, query, body, auth, meter, ...changes }
  return new LazyRequest(parts, () => request.headers)
}

/** A request without a caller, for statements without a rule and for checks of a rule's syntax. */
export const NO_REQUEST: RequestInfo = Object.freeze({
  context: 'default',
  method: 'GET',
  query: {},
  headers: {},
  body: {},
  auth: null,
})

/** The server itself: no rule holds it back. `superusers`: the collection of those who may do as much. */
export const serverRequest = (
  superusers: Collection,
  body: Readonly<Record<string, unknown>>,
): RequestInfo => ({
  ...NO_REQUEST,
  method: 'POST',
  body,
  auth: authRecord(superusers, {}, ''),
})

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
interface Room {
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
