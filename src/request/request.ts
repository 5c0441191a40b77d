import type { Collection } from '../collections/collection.ts'
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

/** Who asks: a record of an auth collection whose token was checked. */
export interface AuthRecord {
  readonly collection: Collection
  readonly id: string
  /** Its columns by field name, hidden ones too. */
  readonly values: Readonly<Record<string, Value>>
  /** `xmin` of the row these values were read from: another value there means that they are old. */
  readonly version: string
  /** A superuser has disabled the user, or the user of the device. Never true of who asks. */
  readonly isDisabled: boolean
  readonly isSuperuser: boolean
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

/** Nobody asks for anything: for statements without a rule, and for rules that are only tried. */
export const NO_REQUEST: RequestInfo = Object.freeze({
  context: 'default',
  method: 'GET',
  query: {},
  headers: {},
  body: {},
  auth: null,
})

/**
 * The server itself asks: no rule holds it back. `superusers`: the collection of those who may do as much.
 */
export const serverRequest = (
  superusers: Collection,
  body: Readonly<Record<string, unknown>>,
): RequestInfo => ({
  ...NO_REQUEST,
  method: 'POST',
  body,
  auth: { collection: superusers, id: '', values: {}, version: '', isDisabled: false, isSuperuser: true },
})
