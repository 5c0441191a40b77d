import { isEnough, notAllowed } from '../../records/access.ts'
import type { AuthRecord, Role } from '../../request/request.ts'

// Which routes a member may use for an account. Routes not listed are for the account itself.

/** Routes by method and path. Those of records also need the role of their collection. */
const ROUTES: Readonly<Record<string, Role>> = {
  'GET /api/health': 'viewer',
  'GET /api/account/me': 'viewer',
  'GET /api/account/inbox': 'viewer',
  'POST /api/account/presence': 'viewer',
  'GET /api/account/push-key': 'viewer',
  'GET /api/account/push': 'viewer',
  'PUT /api/account/push': 'viewer',
  'DELETE /api/account/push': 'viewer',
  'POST /api/account/invitations': 'admin',
  'POST /api/files/token': 'viewer',
  'POST /api/realtime': 'viewer',
  'GET /api/collections/:collection/records': 'viewer',
  'GET /api/collections/:collection/records/:id': 'viewer',
  'GET /api/collections/:collection/export': 'viewer',
  'POST /api/collections/:collection/records': 'agent',
  'PATCH /api/collections/:collection/records/:id': 'agent',
  'DELETE /api/collections/:collection/records/:id': 'agent',
  'POST /api/batch': 'agent',
  // a sign-in ignores the token that is sent
  'POST /api/collections/:collection/auth-with-password': 'viewer',
  'POST /api/collections/:collection/auth-with-otp': 'viewer',
  'POST /api/collections/:collection/auth-refresh': 'viewer',
  'POST /api/sms/send': 'agent',
  'POST /api/sms/send-template': 'agent',
  'POST /api/sms/preview': 'agent',
  'GET /api/sms/usage': 'viewer',
  'GET /api/sms/usage/days': 'viewer',
  'GET /api/sms/batches/:batch_id': 'viewer',
  'POST /api/sms/batches/:batch_id/cancel': 'agent',
  'POST /api/sms/batches/:batch_id/reschedule': 'agent',
  'POST /api/sms/batches/:batch_id/retry': 'agent',
  'PATCH /api/sms/messages/:id': 'agent',
  'POST /api/sms/messages/:id/retry': 'agent',
  'POST /api/sms/messages/:id/cancel': 'agent',
  'POST /api/verify': 'agent',
  'POST /api/verify/check': 'agent',
  'POST /api/verify/cancel': 'agent',
  'GET /api/campaigns/:id/progress': 'viewer',
  'POST /api/campaigns': 'admin',
  'POST /api/campaigns/preview': 'admin',
  'POST /api/campaigns/times': 'viewer',
  'PATCH /api/campaigns/:id': 'admin',
  'POST /api/campaigns/:id/pause': 'admin',
  'POST /api/campaigns/:id/resume': 'admin',
  'POST /api/campaigns/:id/cancel': 'admin',
  'POST /api/campaigns/:id/retry': 'admin',
  'GET /api/devices/states': 'viewer',
  'POST /api/devices/pairing': 'admin',
  'POST /api/hooks/preview': 'admin',
  'POST /api/webhooks/:id/test': 'admin',
  'POST /api/webhooks/:id/rotate': 'admin',
  'POST /api/webhooks/:id/resend-failed': 'admin',
  'GET /api/webhooks/deliveries/:id/request': 'admin',
  'POST /api/webhooks/deliveries/:id/resend': 'admin',
}

/** Routes for a member who has no account and acts for none. Rules apply to records. */
const PERSONAL =
  /^[A-Z]+ \/api\/(?:health|batch|realtime|files|collections|account\/(?:me|accounts|act-for|sessions|end-other-sessions|invitations\/accept))(?:\/|$)/

/** Throws 403 for a member who may not use a route (method and path). */
export function requireRole(auth: AuthRecord, route: string): void {
  const { limits } = auth
  if (limits === undefined) return
  if (!(limits === 'none' ? PERSONAL.test(route) : isEnough(limits, ROUTES[route] ?? 'owner')))
    throw notAllowed(limits)
}
