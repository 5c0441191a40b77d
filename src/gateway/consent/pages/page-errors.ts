import { ApiError, GatewayError, RetryLater } from '../../../platform/api-errors.ts'
import type { PageWord } from './page-words.ts'

/** The sentence for a refused request of a page, by the code of the refusal. */
const WORDS: Readonly<Record<string, PageWord>> = {
  invalid_phone_number: 'badNumber',
  destination_not_allowed: 'destination',
  destination_stopped: 'destination',
  resend_too_soon: 'tooSoon',
  number_limit_reached: 'tooMany',
  sender_limit_reached: 'tooMany',
  quota_exceeded: 'noLine',
  no_devices: 'noLine',
}

/** The sentence and status for an error; undefined for an unexpected one. */
export function describePageFault(
  error: unknown,
): { readonly word: PageWord; readonly status: number } | undefined {
  if (error instanceof RetryLater)
    return { word: WORDS[error.code] ?? 'other', status: error.status }
  if (error instanceof GatewayError)
    return { word: WORDS[String(error.body.error)] ?? 'failed', status: error.status }
  if (error instanceof ApiError)
    return { word: error.status === 404 ? 'missing' : 'failed', status: error.status }
  return undefined
}
