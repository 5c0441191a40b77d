import { routePath } from 'hono/route'
import { isRoleEnough, makeNotAllowed } from '../engine/records/check-rules.ts'
import type { AuthRecord } from '../engine/request/request.ts'
import type { Ctx, RouteRights, Services } from './request-context.ts'

/**
 * Routes for a user without an account who acts for no account, and for one who must set up a second factor
 * first. API rules limit which records the former sees; the latter sees none.
 */
const PERSONAL =
  /^[A-Z]+ \/api\/(?:health|batch|realtime|files|collections|account\/(?:me|accounts|act-for|sessions|end-other-sessions|second-factor|passkeys|invitations\/accept))(?:\/|$)/

/** Throws 403 if the caller's role does not allow the route (method and path). */
export function requireRole(auth: AuthRecord, route: string, rights: RouteRights): void {
  const { limits } = auth
  if (limits === undefined) return
  const least = rights[route] ?? 'owner'
  const isPersonal = limits === 'none' || limits === 'unprotected'
  if (isPersonal ? PERSONAL.test(route) : least === 'act' || isRoleEnough(limits, least)) return
  throw makeNotAllowed(limits)
}

/** Throws 403 if the caller's role does not allow the route of the request. */
export const requireRouteRole = (c: Ctx, auth: AuthRecord, { rights }: Services): void =>
  requireRole(auth, `${c.req.method.replace('HEAD', 'GET')} ${routePath(c)}`, rights)
