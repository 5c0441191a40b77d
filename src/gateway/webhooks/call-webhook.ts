import about from '../../../package.json' with { type: 'json' }
import { sendOutgoing } from '../../platform/outgoing/send-request.ts'
import { maskSecrets } from '../../platform/tools/mask-secrets.ts'
import { readRetryAfter } from '../../platform/tools/retry-after.ts'
import type { WebhookMail } from './fill-webhook-mail.ts'
import type { BodyForm, DueDelivery } from './load-delivery.ts'
import { KEPT_BYTES, maskAnswer, readErrorReason } from './mask-answer.ts'
import { makeSignatureHeaders } from './sign-webhook.ts'

export type SentHeaders = Readonly<Record<string, string | number>>

export interface CallOutcome {
  /** The answer's HTTP status; 0 without an answer. */
  readonly status: number
  /** The beginning of the answer, or why there is none. */
  readonly text: string
  readonly latencyMs: number
  /** Seconds that the receiver asked us to wait; 0 for none. */
  readonly retryAfter: number
  /** The outcome of the delivery, if the status alone does not decide it. */
  readonly verdict?: 'delivered' | 'failed' | 'again'
  /** The request's headers that its user may see; absent if none was sent. */
  readonly headers?: SentHeaders
}

/** Time limit from the DNS look-up to the end of the answer. */
export const TIMEOUT_MS = 12_000

/** Statuses whose `Retry-After` counts. RFC 9110, 10.2.3; RFC 6585, 4 */
const MAY_ASK_TO_WAIT = new Set([429, 503])

/** Slack's API refuses with status 200. https://docs.slack.dev/apis/web-api/#evaluating-responses */
const IS_REFUSAL = /^\s*\{\s*"ok"\s*:\s*false\b/

const maskToken = (headers: Readonly<Record<string, string>>, token: string) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, maskSecrets(value, [token])]),
  )

/** Makes one attempt of a delivery. Rejects only when `signal` aborts; other failures are outcomes. */
export async function callWebhook(due: DueDelivery, allowPrivate: boolean, signal: AbortSignal) {
  const { url, eventId: id, body, secrets, method = 'POST', moreHeaders, token = '' } = due
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': `pocketsms/${about.version}`,
    ...makeSignatureHeaders({ id, at, body }, secrets),
    ...moreHeaders?.(at),
  }
  const shown = { ...headers, ...maskToken(moreHeaders?.(at) ?? {}, token) }
  const begun = performance.now()
  const latencyMs = () => Math.round(performance.now() - begun)
  try {
    const limits = {
      allowPrivate,
      maxBodyBytes: KEPT_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
      mayRepeat: true,
    }
    const answer = await sendOutgoing({ url, method, headers, body }, limits)
    const retryAfter = MAY_ASK_TO_WAIT.has(answer.status) ? readRetryAfter(answer.headers) : 0
    const text = maskAnswer(answer.body, url, [token, ...secrets])
    const verdict = due.isFilled && IS_REFUSAL.test(text) ? ('again' as const) : undefined
    return {
      status: answer.status,
      text,
      latencyMs: latencyMs(),
      retryAfter,
      headers: shown,
      ...(verdict && { verdict }),
    }
  } catch (error) {
    if (signal.aborted) throw error
    const text = maskSecrets(readErrorReason(error), [token])
    return { status: 0, text, latencyMs: latencyMs(), retryAfter: 0, headers: shown }
  }
}

/** Makes deliveries in the forms of other protocols, and mails. */
export interface OtherForms {
  readonly bodyForm: BodyForm
  /** Makes one attempt of a delivery whose `format` is set. Rejects only if `signal` aborts. */
  readonly call: (due: DueDelivery, signal: AbortSignal) => Promise<CallOutcome>
  readonly bodyOf: (due: DueDelivery) => Promise<string>
  /** Sends a delivery as a mail. Never rejects. */
  readonly mail: (due: DueDelivery, mail: WebhookMail) => Promise<CallOutcome>
}
