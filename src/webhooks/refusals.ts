import { GatewayError } from '../errors.ts'

/** Refused requests about webhooks, by their `error`. */
export const WEBHOOK_REFUSALS = {
  unauthorized: [401, 'Authentication required'],
  forbidden: [403, 'Only users and superusers may do this'],
  webhook_not_found: [404, 'Webhook not found'],
  delivery_not_found: [404, 'Delivery not found'],
  webhook_disabled: [409, 'The webhook is disabled. Enable it first.'],
  invalid_request: [400, 'The body must be a JSON object with a date `since`'],
  request_too_large: [413, 'The body must have at most 10000 bytes'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** The answer `{"error","message"}` of a refused request about webhooks. */
export function webhookRefusal(error: keyof typeof WEBHOOK_REFUSALS): GatewayError {
  const [status, message] = WEBHOOK_REFUSALS[error]
  return new GatewayError(status, { error, message })
}
