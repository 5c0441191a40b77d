import { isRoleEnough, makeNotAllowed } from '../engine/records/check-rules.ts'
import type { AuthRecord, Role } from '../engine/request/request.ts'

/**
 * For each route of the server, by method and path, the lowest role of a member who may use it. 'act': the
 * route itself asks what the caller may do to texts (`gateway/base/permissions`). A route that is missing
 * needs the account itself. A collection may require a higher role.
 */
export type RouteRights = Readonly<Record<string, Role | 'act'>>

/** Routes for a user without an account who acts for no account. API rules limit which records they see. */
const PERSONAL =
  /^[A-Z]+ \/api\/(?:health|batch|realtime|files|collections|account\/(?:me|accounts|act-for|sessions|end-other-sessions|invitations\/accept))(?:\/|$)/

/** Throws 403 if the caller's role does not allow the route (method and path). */
export function requireRole(auth: AuthRecord, route: string, rights: RouteRights): void {
  const { limits } = auth
  if (limits === undefined) return
  const least = rights[route] ?? 'owner'
  if (limits === 'none' ? PERSONAL.test(route) : least === 'act' || isRoleEnough(limits, least))
    return
  throw makeNotAllowed(limits)
}
