import type { CallOutcome } from '../../gateway/webhooks/call-webhook.ts'

export type Outcome = Omit<CallOutcome, 'latencyMs'>

export const isSuccessStatus = (status: number): boolean => status >= 200 && status < 300

/** The outcome of a delivery that failed for good. `status`: 0 without an answer. */
export const makeFailedOutcome = (status: number, text: string) =>
  ({ status, text, retryAfter: 0, verdict: 'failed' }) satisfies Outcome

/** The outcome of a call that got no answer: it is tried again. `text`: why. */
export const makeUnansweredOutcome = (text: string): Outcome => ({
  ...makeFailedOutcome(0, text),
  verdict: 'again',
})

/** The outcome of a call that was answered: 5xx and 429 are tried again, other errors end the delivery. */
export const classifyAnswer = (status: number, text: string): Outcome => ({
  ...makeFailedOutcome(status, text),
  verdict: isSuccessStatus(status)
    ? 'delivered'
    : status >= 500 || status === 429
      ? 'again'
      : 'failed',
})

/** Twilio's error code for a call that was not answered with 2xx. */
export const NO_SUCCESS = 11200
