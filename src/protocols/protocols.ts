import type { OtherForms } from '../gateway/webhooks/call-webhook.ts'
import type { DueDelivery } from '../gateway/webhooks/load-delivery.ts'
import { describeRoutes } from '../http/make-routes.ts'
import type { Config } from '../platform/config.ts'
import type { SelectValue } from '../portable/select-values.ts'
import type { Protocol } from './gateway-services.ts'
import { KANNEL } from './kannel.ts'
import { MCP } from './mcp/mcp-routes.ts'
import { SMS_GATEWAY } from './sms-gateway.ts'
import { SMSEAGLE } from './smseagle/smseagle-routes.ts'
import { SMSGATE_CLIENT } from './smsgate-api/smsgate-api-routes.ts'
import { SMSGATE_FORM } from './smsgate-api/webhook-form.ts'
import { makeTwilioCaller } from './twilio/call-callback-url.ts'
import { writeTwilioBody } from './twilio/callback-form.ts'
import type { CallServices } from './twilio/make-url-caller.ts'
import { TWILIO } from './twilio/twilio-routes.ts'
import { VENDEL } from './vendel/vendel-routes.ts'
import { callVendel, writeVendelBody } from './vendel/vendel-webhook.ts'

export const PROTOCOLS: readonly Protocol[] = [
  TWILIO,
  SMSGATE_CLIENT,
  MCP,
  SMSEAGLE,
  KANNEL,
  SMS_GATEWAY,
  VENDEL,
].map((protocol: Protocol) =>
  protocol.rows.some(({ describe }) => describe !== null)
    ? { ...protocol, paths: (records) => describeRoutes(protocol.rows, records) }
    : protocol,
)

type CalledForm = Pick<OtherForms, 'call' | 'bodyOf'>
/** A webhook's `format` of another product; `callback` is the address of one Twilio message. */
type FormName = Exclude<SelectValue<'webhooks.format'>, 'template'> | 'callback'

/** How webhooks are called in the forms of other products. `servicesOf` returns the services for a user. */
export function makeOtherForms(config: Config, servicesOf: (user: string) => CallServices) {
  const twilio: CalledForm = {
    call: makeTwilioCaller(servicesOf),
    bodyOf: (due) => writeTwilioBody(servicesOf(due.user), due),
  }
  const forms: Readonly<Record<FormName, CalledForm>> = {
    twilio,
    callback: twilio,
    vendel: {
      call: (due, signal) => callVendel(due, config.webhookAllowPrivate, signal),
      bodyOf: async (due) => writeVendelBody(due),
    },
  }
  const formOf = ({ format }: DueDelivery) => forms[format as FormName]
  return {
    bodyForm: { ...SMSGATE_FORM, publicUrl: config.publicUrl },
    call: (due, signal) => formOf(due).call(due, signal),
    bodyOf: (due) => formOf(due).bodyOf(due),
  } satisfies Omit<OtherForms, 'mail'>
}
