import { accountHolder, type Holder } from '../admission/holder.ts'
import { type Collection, DEVICES_ID, USERS_ID, userHolder } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import type { AnswerMeter } from './answer-meter.ts'

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

/** The caller: a record of an auth collection whose token was checked. */
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
  readonly actor?: Actor
}

/** A member's role. `none`: the caller has no account and acts for none. It limits what the caller may do. */
export type Limits = Role | 'none'

export const limitsOf = ({ actor, collection, values }: AuthRecord): Limits | undefined =>
  actor?.role ?? (collection.id === USERS_ID && values.member_only === true ? 'none' : undefined)

/** The caller's record of `senders`: a member's who acts for the account, else the account's. */
export const senderIdOf = ({ id, actor }: AuthRecord): string => actor?.id ?? id

/** The account in limits: of a device its user, of a member the account that the member acts for. */
export const accountOf = ({
  collection,
  id,
  values,
}: Pick<AuthRecord, 'collection' | 'id' | 'values'>): Holder =>
  collection.id === DEVICES_ID ? userHolder(String(values.user)) : accountHolder(collection.id, id)

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
  auth: { collection: superusers, id: '', values: {}, version: '', isDisabled: false, isSuperuser: true },
})
