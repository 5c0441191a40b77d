import about from '../../../package.json' with { type: 'json' }
import type { Store } from '../../engine/collections/catalog.ts'
import { type SentHeaders, TIMEOUT_MS } from '../../gateway/webhooks/call-webhook.ts'
import type { DueDelivery } from '../../gateway/webhooks/load-delivery.ts'
import type { Config } from '../../platform/config.ts'
import { type ResponseHead, sendOutgoing } from '../../platform/outgoing/send-request.ts'
import { type Form, makeSignedRequest } from './sign-request.ts'

/** Maximum bytes of an answer, as at Twilio. */
export const MAX_TWIML_BYTES = 64 << 10

export interface CallServices {
  readonly store: Store
  readonly config: Config
}

/**
 * Makes the signed requests of one delivery. Together they may take TIMEOUT_MS, like a single webhook call.
 */
export function makeUrlCaller(
  { eventId }: DueDelivery,
  form: Form,
  signingKey: string,
  config: CallServices['config'],
  signal: AbortSignal,
) {
  const endMs = performance.now() + TIMEOUT_MS
  const caller = {
    signal,
    /** Headers of the first request, without `authorization`. */
    firstHeaders: undefined as SentHeaders | undefined,
    async call(address: string, method: 'GET' | 'POST'): Promise<ResponseHead> {
      if (!URL.canParse(address)) throw new Error(`${address} is not an address`)
      const request = makeSignedRequest(address, method, form, signingKey, {
        accept: '*/*',
        'user-agent': `TwilioProxy/1.1 pocketsms/${about.version}`,
        'i-twilio-idempotency-token': eventId,
      })
      const { authorization: _, ...headers } = request.headers
      caller.firstHeaders ??= headers
      return sendOutgoing(request, {
        allowPrivate: config.webhookAllowPrivate,
        maxBodyBytes: MAX_TWIML_BYTES + 1,
        timeoutMs: Math.max(1, endMs - performance.now()),
        signal,
      })
    },
  }
  return caller
}

export type UrlCaller = ReturnType<typeof makeUrlCaller>
