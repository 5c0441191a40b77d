import about from '../../../../package.json' with { type: 'json' }
import type { Config } from '../../../config.ts'
import { type ResponseHead, sendOutgoing } from '../../../outgoing/send.ts'
import type { SendServices } from '../../../sms/send/send.ts'
import { type SentHeaders, TIMEOUT_MS } from '../../../webhooks/call-webhook.ts'
import { MAX_ANSWER_BYTES } from './answer.ts'
import { type Form, type SignedRequest, signedRequest } from './signature.ts'

/** What calls in Twilio's form need of the server. */
export interface CallServices extends SendServices {
  readonly config: Pick<Config, 'maxRecipients' | 'webhookAllowPrivate' | 'optWords'>
}

/** What the requests of one delivery have in common. */
export interface Delivery {
  /** Names the event; sent with each request. */
  readonly eventId: string
  readonly form: Form
  /** The key of the signatures: see `signedRequest`. */
  readonly signingKey: string
  readonly config: Pick<Config, 'webhookAllowPrivate'>
}

/** Makes the signed requests of one delivery. Together they take no longer than one call may. */
export class Caller {
  readonly signal: AbortSignal
  /** What the first request was sent with, without the password of its address. */
  firstHeaders: SentHeaders | undefined
  readonly #delivery: Delivery
  readonly #endMs = performance.now() + TIMEOUT_MS

  constructor(delivery: Delivery, signal: AbortSignal) {
    this.#delivery = delivery
    this.signal = signal
  }

  /** Rejects as `sendOutgoing` does. */
  async call(address: string, method: 'GET' | 'POST'): Promise<ResponseHead> {
    const request = this.#request(address, method)
    const { authorization: _, ...headers } = request.headers
    this.firstHeaders ??= headers
    return sendOutgoing(request, {
      allowPrivate: this.#delivery.config.webhookAllowPrivate,
      maxBodyBytes: MAX_ANSWER_BYTES + 1,
      timeoutMs: Math.max(1, this.#endMs - performance.now()),
      signal: this.signal,
    })
  }

  #request(address: string, method: 'GET' | 'POST'): SignedRequest {
    if (!URL.canParse(address)) throw new Error(`${address} is not an address`)
    const { form, signingKey, eventId } = this.#delivery
    return signedRequest(address, method, form, signingKey, {
      accept: '*/*',
      'user-agent': `TwilioProxy/1.1 pocketsms/${about.version}`,
      'i-twilio-idempotency-token': eventId,
    })
  }
}
