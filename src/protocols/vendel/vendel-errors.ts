import { z } from 'zod'
import type { USAGE } from '../../gateway/base/quota-usage.ts'
import { sendHookError } from '../../gateway/hooks/send-hook-error.ts'
import { sendError } from '../../http/middleware/answer-errors.ts'
import type { ErrorForm } from '../../http/request-context.ts'
import { ApiError, GatewayError } from '../../platform/api-errors.ts'

const QUOTA_ERROR = z
  .strictObject({
    error: z.literal('quota_exceeded'),
    detail: z.string(),
    quota_type: z.literal('sms_monthly'),
    limit: z.int(),
    used: z.int(),
    available: z.int(),
    upgrade_url: z.literal(''),
  })
  .meta({ id: 'VendelQuotaError' })

export const ERROR = z
  .union([
    z
      .strictObject({ data: z.object({}), message: z.string(), status: z.int() })
      .meta({ id: 'VendelFailure' }),
    QUOTA_ERROR,
  ])
  .meta({ id: 'VendelError' })

/** The 429 for a send beyond the quota. Vendel's SDKs take every 429 for this error. */
export function makeQuotaError({ quota, used, remaining }: z.output<typeof USAGE>): GatewayError {
  const body: z.output<typeof QUOTA_ERROR> = {
    error: 'quota_exceeded',
    detail: `You can only send ${remaining ?? 0} more SMS this month`,
    quota_type: 'sms_monthly',
    limit: quota,
    used,
    available: remaining ?? 0,
    upgrade_url: '',
  }
  return new GatewayError(429, body)
}

/** HTTP statuses that Vendel answers for these errors of a send, instead of ours. */
const STATUSES: Readonly<Record<string, number>> = { device_not_found: 400, group_not_found: 400 }

/** Errors in PocketBase's form. A rate limit becomes a 503: Vendel's SDKs take every 429 for the quota. */
export const sendVendelError: ErrorForm = (c, error) => {
  if (error instanceof ApiError) return sendHookError(c, error)
  const { body, status, message } = error
  if ('quota_type' in body) return sendError(c, status, body)
  return sendHookError(c, new ApiError(STATUSES[String(body.error)] ?? status, message))
}
