import type { Role } from '../engine/request/request.ts'
import type { Credentials } from './identify-caller.ts'
import {
  type Caller,
  requireAuth,
  requireMember,
  requireSuperuser,
  requireUser,
} from './middleware/require-caller.ts'
import type { Security } from './openapi/security.ts'
import type { Ctx, Services } from './request-context.ts'

/** Who may use a route. `Asking`: what the route gets of its caller. `Own`: the services that it needs. */
export interface Permission<Asking, Own extends Services = Services> {
  /** The lowest role of a member who may; a collection may require a higher one. Without: no member may. */
  readonly least?: Role | undefined
  /**
   * Whether a user without an account who acts for no account may, and one who must set up a second factor
   * first. API rules limit which records the former sees; the latter sees none.
   */
  readonly personal?: true
  /** Scopes of which an API key needs one; [] for any key. Without: no key may. */
  readonly scopes?: readonly string[]
  /** How clients send credentials, for OpenAPI. */
  readonly security: Security
  /** How the server reads them, for limits and for the route. Default: a token in `Authorization`. */
  readonly credentials?: Credentials
  /**
   * Calls `work` for the caller, again if the caller turned out to be outdated. Throws 401, 403. Without, the
   * route gets `HasServices` and asks for the caller or a secret itself.
   */
  readonly withCaller?: (
    c: Ctx,
    services: Own,
    work: (caller: Asking) => unknown,
  ) => Promise<unknown>
}

export interface HasServices<Own extends Services = Services> {
  readonly services: Own
}

export interface UserCaller<Own extends Services = Services> extends Caller, HasServices<Own> {
  readonly user: string
}

async function runWithUser<Own extends Services>(
  c: Ctx,
  services: Own,
  work: (caller: UserCaller<Own>) => unknown,
): Promise<unknown> {
  return work({ ...(await requireUser(c, services)), services })
}

/** An account, or a member with at least this role. */
export const allowRole = <Own extends Services = Services>(
  least: Role,
): Permission<UserCaller<Own>, Own> => ({
  least,
  security: 'signedIn',
  withCaller: runWithUser,
})

/** An account. Members are refused, whatever their role is. */
export const allowOwner = <Own extends Services = Services>(): Permission<
  UserCaller<Own>,
  Own
> => ({
  security: 'signedIn',
  withCaller: runWithUser,
})

/** Any signed-in record: a user, a device, a superuser, and with `least` a member with at least that role. */
export const allowAuthenticated = (least?: Role): Permission<Caller & HasServices> => ({
  least,
  personal: true,
  security: 'signedIn',
  withCaller: async (c, services, work) => work({ ...(await requireAuth(c, services)), services }),
})

export const allowSuperuser: Permission<Caller & HasServices> = {
  security: 'signedIn',
  withCaller: async (c, services, work) =>
    work({ ...(await requireSuperuser(c, services)), services }),
}

/** A record of the auth collection in the path. */
export const allowPathRecord = (least?: Role): Permission<Caller & HasServices> => ({
  least,
  personal: true,
  security: 'signedIn',
  withCaller: async (c, services, work) =>
    work({ ...(await requireMember(c, services)), services }),
})

/** Guests and all who signed in. The route itself asks who calls, and the rules of the collection decide. */
export const allowByRules = (least?: Role): Permission<HasServices> => ({
  least,
  personal: true,
  security: 'anyone',
})

/** Everybody. The route itself may ask for a secret. */
export const allowEverybody = <Own extends Services = Services>(): Permission<
  HasServices<Own>,
  Own
> => ({
  security: 'none',
})
