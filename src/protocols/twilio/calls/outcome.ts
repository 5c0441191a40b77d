import type { CallOutcome } from '../../../webhooks/call-webhook.ts'

/** What came of a delivery, but for the time that it took. */
export type Outcome = Omit<CallOutcome, 'latencyMs'>

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The outcome of a call that was answered: 5xx and 429 are tried again, other errors end the delivery. */
export const outcomeOf = (status: number, text: string): Outcome => ({
  status,
  text,
  retryAfter: 0,
  verdict: isSuccess(status) ? 'delivered' : status >= 500 || status === 429 ? 'again' : 'failed',
})

/** The outcome of a call that got no answer: it is tried again. `text`: why. */
export const unanswered = (text: string): Outcome => ({ status: 0, text, retryAfter: 0, verdict: 'again' })

/** The outcome of a delivery that is not tried again. `status`: 0 where nothing was answered. */
export const failed = (status: number, text: string): Outcome => ({
  status,
  text,
  retryAfter: 0,
  verdict: 'failed',
})
