import type { AuthRecord, Limits } from '../../engine/request/request.ts'
import { resolveScopes, type Scopes } from '../../engine/request/scopes.ts'

declare const isSender: unique symbol

/**
 * A sender, with the credentials that were checked. The judge (`requirePermit`) and `sms_limits_of` read a
 * sender's bounds. Only this file makes senders.
 */
export interface Sender {
  readonly [isSender]: true
  readonly user: string
  /** `xmin` of the user's row; null for automatic sends, for which the account must only be enabled. */
  readonly version: string | null
  readonly key?: { readonly id: string; readonly version: string }
  /** The id of a record of `senders`. */
  readonly sentBy: string
  /** The role of a member; undefined for the account itself, its keys and its automatic sends. */
  readonly role?: Limits | undefined
  /** Scopes of an API key or its token; undefined for people and automatic sends. */
  readonly scopes?: Scopes | undefined
}

type Key = NonNullable<Sender['key']> & { readonly auth: AuthRecord; readonly scopes: Scopes }

export const makeKeySender = ({ auth, id, version, scopes }: Key): Sender =>
  ({
    user: auth.id,
    version: auth.version,
    key: { id, version },
    sentBy: id,
    scopes: resolveScopes(scopes),
  }) as Sender

/** The sender of a signed-in user, who may act as a member for the account. */
export const makePersonSender = ({ id, version, sender, limits }: AuthRecord): Sender =>
  ({ user: id, version, sentBy: sender, role: limits }) as Sender

/** The sender of automatic sends: a campaign, a hook, an automatic answer. `sentBy`: id in `senders`. */
export const makeAccountSender = (user: string, sentBy: string): Sender =>
  ({ user, version: null, sentBy }) as Sender
