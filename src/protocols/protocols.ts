import type { Config } from '../config.ts'
import type { Protocol } from '../http/context.ts'
import type { DueDelivery } from '../webhooks/due.ts'
import { KANNEL } from './kannel/routes.ts'
import { MCP } from './mcp/routes.ts'
import { SMS_GATEWAY } from './sms-gateway/routes.ts'
import { SMSEAGLE } from './smseagle/routes.ts'
import { SMSGATE } from './smsgate/routes.ts'
import { SMSGATE_CLIENT } from './smsgate-client/routes.ts'
import { SMSGATE_FORM } from './smsgate-client/webhooks/event.ts'
import { twilioBody, twilioCalls } from './twilio/calls/call.ts'
import type { CallServices } from './twilio/calls/caller.ts'
import { TWILIO } from './twilio/routes.ts'

/** APIs of other products that this server offers. */
export const PROTOCOLS: readonly Protocol[] = [
  TWILIO,
  SMSGATE,
  SMSGATE_CLIENT,
  MCP,
  SMSEAGLE,
  KANNEL,
  SMS_GATEWAY,
]

/** How webhooks are called in the forms of these APIs. `servicesOf` returns services on a user's ticket. */
export const otherForms = (config: Config, servicesOf: (user: string) => CallServices) => ({
  bodyForm: { ...SMSGATE_FORM, publicUrl: config.publicUrl },
  call: twilioCalls(servicesOf),
  bodyOf: (due: DueDelivery) => twilioBody(due, config),
})
