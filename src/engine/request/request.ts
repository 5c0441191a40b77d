import { type Holder, makeAccountHolder } from '../../platform/limits/limit-holder.ts'
import type { Store } from '../collections/catalog.ts'
import {
  type Collection,
  DEVICES_ID,
  makeUserHolder,
  SUPERUSERS,
  USERS_ID,
} from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import { AnswerMeter } from './answer-limit.ts'

export type RequestContext =
  | 'default'
  | 'oauth2'
  | 'otp'
  | 'password'
  | 'realtime'
  | 'protectedFile'
  | 'batch'
  | 'expand'

/** The role of a member in an account: see `rights` in `collections.json` of features. */
export type Role = 'viewer' | 'agent' | 'admin'

export interface Actor {
  readonly id: string
  readonly role: Role
  readonly addresses: string
  /** The part of a token's signing key that the membership and the member's own record give. */
  readonly key: string
}

/**
 * The limits of a caller: a role, `none` for a user without an account who acts for no account, or
 * `unprotected` for an account that requires a second factor and whose owner has none.
 */
export type Limits = Role | 'none' | 'unprotected'

/** The caller: a record of an auth collection whose token was checked. `makeAuthRecord` makes it. */
export interface AuthRecord {
  readonly collection: Collection
  readonly id: string
  readonly values: Readonly<Record<string, Value>>
  /**
   * `xmin` of the row when the values were read. It differs after any change of the row, and after changes of
   * keys, memberships and sessions, which write the row again.
   */
  readonly version: string
  /** When its API key, or the proof of its membership, ends, as a stored date; '' for never. */
  readonly until: string
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

interface AuthState extends Partial<Pick<AuthRecord, 'isDisabled' | 'actor' | 'until'>> {
  /** Whether the account requires a second factor that its owner does not have. */
  readonly lacksFactor?: boolean
}

/** A record of an auth collection as a caller; `actor`: the member who acts for it. */
export function makeAuthRecord(
  collection: Collection,
  values: AuthRecord['values'],
  version: string,
  { isDisabled = false, actor, lacksFactor = false, until = '' }: AuthState = {},
): AuthRecord {
  const id = String(values.id ?? '')
  const isMemberOnly = collection.id === USERS_ID && values.member_only === true
  const ownLimits = isMemberOnly ? 'none' : lacksFactor ? 'unprotected' : undefined
  return {
    collection,
    id,
    values,
    version,
    until,
    isDisabled,
    isSuperuser: collection.name === SUPERUSERS,
    actor,
    limits: actor?.role ?? ownLimits,
    sender: actor?.id ?? id,
    holder:
      collection.id === DEVICES_ID
        ? makeUserHolder(String(values.user))
        : makeAccountHolder(collection.id, id),
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

/** A request by the server itself, with a superuser's rights. */
export const makeServerRequest = (
  { catalog }: Pick<Store, 'catalog'>,
  body: Readonly<Record<string, unknown>>,
): RequestInfo => ({
  ...NO_REQUEST,
  method: 'POST',
  body,
  auth: makeAuthRecord(catalog.find(SUPERUSERS)!, {}, ''),
})

export const findAnswerMeter = ({ meter }: Pick<RequestInfo, 'meter'>): AnswerMeter =>
  meter ?? new AnswerMeter()
