import { isEnough, notAllowed } from '../engine/records/access.ts'
import type { AuthRecord, Role } from '../engine/request/request.ts'

// A member acts for another user's account, within a role. Unlisted routes need the account itself.

/** Routes below `/api/`, by the lowest role that may use them. A collection may require a higher role. */
const ROUTES: Readonly<Record<Role, readonly string[]>> = {
  viewer: [
    'GET health',
    'GET account/me',
    'GET account/inbox',
    'POST account/presence',
    'GET account/push-key',
    'GET account/push',
    'PUT account/push',
    'DELETE account/push',
    'POST files/token',
    'POST realtime',
    'GET collections/:collection/records',
    'GET collections/:collection/records/:id',
    'GET collections/:collection/export',
    // allowed, because a sign-in ignores the token that is sent with it
    'POST collections/:collection/auth-with-password',
    'POST collections/:collection/auth-with-otp',
    'POST collections/:collection/auth-refresh',
    'GET devices/states',
  ],
  agent: [
    'POST collections/:collection/records',
    'PATCH collections/:collection/records/:id',
    'DELETE collections/:collection/records/:id',
    'POST batch',
  ],
  admin: [
    'POST account/invitations',
    'GET account/retention',
    'POST account/data',
    'POST devices/pairing',
    'POST hooks/preview',
    'GET contacts/:id/data',
    'POST contacts/:id/erase',
    'POST person/data',
    'POST person/erase',
    'POST webhooks/:id/test',
    'POST webhooks/:id/rotate',
    'POST webhooks/:id/resend-failed',
    'GET webhooks/deliveries/:id/request',
    'POST webhooks/deliveries/:id/resend',
  ],
}

/** Routes that the judge of texts decides on, by the act that they are (`gateway/base/permissions`). */
const JUDGED: ReadonlySet<string> = new Set([
  'GET sms/usage',
  'GET sms/usage/days',
  'GET sms/usage/lines',
  'GET sms/batches/:batch_id',
  'POST sms/send',
  'POST sms/send-template',
  'POST sms/preview',
  'POST sms/batches/:batch_id/reschedule',
  'POST sms/batches/:batch_id/retry',
  'POST sms/batches/:batch_id/cancel',
  'GET sms/messages',
  'GET sms/messages/:id',
  'PATCH sms/messages/:id',
  'POST sms/messages/:id/retry',
  'POST sms/messages/:id/cancel',
  'POST verify',
  'POST verify/check',
  'POST verify/cancel',
  'POST campaigns',
  'POST campaigns/preview',
  'POST campaigns/times',
  'GET campaigns/:id/progress',
  'PATCH campaigns/:id',
  'POST campaigns/:id/pause',
  'POST campaigns/:id/resume',
  'POST campaigns/:id/cancel',
  'POST campaigns/:id/retry',
])

const ROLES = new Map(
  Object.entries(ROUTES).flatMap(([role, routes]) => routes.map((route) => [route, role as Role])),
)

/** Routes for a user who has no account and acts for no account. API rules limit which records they see. */
const PERSONAL =
  /^[A-Z]+ \/api\/(?:health|batch|realtime|files|collections|account\/(?:me|accounts|act-for|sessions|end-other-sessions|invitations\/accept))(?:\/|$)/

/** Throws 403 if the caller's role does not allow the route (method and path). */
export function requireRole(auth: AuthRecord, route: string): void {
  const { limits } = auth
  if (limits === undefined) return
  const named = route.replace('/api/', '')
  if (JUDGED.has(named) && limits !== 'none') return
  const role = ROLES.get(named) ?? 'owner'
  if (!(limits === 'none' ? PERSONAL.test(route) : isEnough(limits, role))) throw notAllowed(limits)
}
