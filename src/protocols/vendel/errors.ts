import { z } from 'zod'
import { ApiError, GatewayError } from '../../errors.ts'
import type { ErrorForm } from '../../http/context.ts'
import { hookForm, sendError } from '../../http/middleware/error-forms.ts'
import type { USAGE } from '../../sms/usage/quota.ts'

const QUOTA = z.strictObject({
  error: z.literal('quota_exceeded'),
  detail: z.string(),
  quota_type: z.literal('sms_monthly'),
  limit: z.int(),
  used: z.int(),
  available: z.int(),
  upgrade_url: z.literal(''),
})

export const ERROR = z
  .union([z.strictObject({ data: z.object({}), message: z.string(), status: z.int() }), QUOTA])
  .meta({ id: 'VendelError' })

/** The error of a send beyond the quota. Vendel's SDKs read each 429 as this one. */
export function quotaExceeded({ quota, used, remaining }: z.output<typeof USAGE>): GatewayError {
  const body: z.output<typeof QUOTA> = {
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

/** Statuses that Vendel has for what a send names. */
const STATUSES: Readonly<Record<string, number>> = { device_not_found: 400, group_not_found: 400 }

/** PocketBase's form. Too many requests are a 503, because SDKs would read a 429 as the quota. */
export const errorForm: ErrorForm = (c, error) => {
  if (error instanceof ApiError) return hookForm(c, error)
  const { body, status, message } = error
  if ('quota_type' in body) return sendError(c, status, body)
  return hookForm(c, new ApiError(STATUSES[String(body.error)] ?? status, message))
}
