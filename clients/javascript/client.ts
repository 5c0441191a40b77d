import { PocketSmsError } from './errors.ts'
import { type ReceiveOptions, receiveTexts } from './receive-texts.ts'
import {
  type Connection,
  makeConnection,
  pause,
  type RequestOptions,
  requestJson,
  type Settings,
} from './request.ts'
import type {
  Accepted,
  AccountUsage,
  Canceled,
  CanceledBatch,
  Preview,
  PreviewBody,
  Send,
  SentTexts,
  SmsMessage,
  TemplateSend,
  Verification,
  VerificationCancel,
  VerificationCheck,
  VerificationStart,
} from './types.ts'

export { PocketSmsError } from './errors.ts'
export type { ReceiveOptions } from './receive-texts.ts'
export type { RequestEvent, Settings } from './request.ts'
export type * from './types.ts'

/** What a send takes: times may be dates, and `attachments` may be files, beside addresses. */
export type WithFiles<T> = Omit<T, 'attachments' | 'scheduled_at' | 'expires_at'> & {
  readonly attachments?: readonly (string | Blob)[] | null
  readonly scheduled_at?: string | Date | null
  readonly expires_at?: string | Date | null
}

export interface SendOptions {
  /** A repeated send with the same key sends no second text. Default: a random key for each call. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export interface WaitOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Which texts to list: those with all of these. */
export interface ListQuery {
  readonly ids?: readonly string[]
  readonly batch?: string
  readonly client_ref?: string
  readonly page?: number
  readonly perPage?: number
}

const STATUSES = ['pending', 'assigned', 'sending', 'sent', 'delivered']
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
const WAIT_MS = 600_000

/** A client of one server, with an API key, or with the token of a signed-in user. */
export class PocketSms {
  readonly #connection: Connection

  /** Throws `invalid_setting` if the address, or the key or token, is absent or empty. */
  constructor(
    url: string,
    credential: ({ readonly key: string } | { readonly token: string }) & Settings,
  ) {
    this.#connection = makeConnection(url, credential)
  }

  /** Sends a text, or pictures and other files as an MMS. */
  send(text: WithFiles<Send>, options?: SendOptions): Promise<Accepted> {
    return this.#send('/api/sms/send', text, options)
  }

  /** Sends each recipient a text that the server makes of a template. */
  sendTemplate(text: WithFiles<TemplateSend>, options?: SendOptions): Promise<Accepted> {
    return this.#send('/api/sms/send-template', text, options)
  }

  /** The texts and segments of a send, which sends and stores nothing. */
  preview(text: PreviewBody, signal?: AbortSignal): Promise<Preview> {
    return this.#post('/api/sms/preview', 'total_segments', text, { mayRepeat: true, signal })
  }

  /** A message that was sent, with its status. */
  getMessage(id: string, signal?: AbortSignal): Promise<SmsMessage> {
    return requestJson(this.#connection, `/api/sms/messages/${readId(id)}`, 'id', { signal })
  }

  /** The message with this `client_ref`; undefined if there is none. */
  async findMessage(clientRef: string, signal?: AbortSignal): Promise<SmsMessage | undefined> {
    return (await this.listMessages({ client_ref: readId(clientRef, false) }, signal)).items[0]
  }

  /** Texts that were sent, in the order of sending, in pages of at most 500. */
  listMessages(query: ListQuery, signal?: AbortSignal): Promise<SentTexts> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const values = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    )
    return requestJson(this.#connection, `/api/sms/messages?${values}`, 'items', { signal })
  }

  /** Cancels a message. Throws `not_cancelable` if a device has it. */
  cancelMessage(id: string, signal?: AbortSignal): Promise<Canceled> {
    return this.#post(`/api/sms/messages/${readId(id)}/cancel`, 'status', undefined, {
      mayRepeat: true,
      signal,
    })
  }

  /** Cancels all messages of a send that no device has, by the `batch_id` of the send. */
  cancelBatch(id: string, signal?: AbortSignal): Promise<CanceledBatch> {
    return this.#post(`/api/sms/batches/${readId(id)}/cancel`, 'canceled', undefined, {
      mayRepeat: true,
      signal,
    })
  }

  /** The messages of this month, the quota, and the size of the files. */
  getUsage(signal?: AbortSignal): Promise<AccountUsage> {
    return requestJson(this.#connection, '/api/sms/usage', 'quota', { signal })
  }

  /** Sends a number a code. */
  startVerification(start: VerificationStart, signal?: AbortSignal): Promise<Verification> {
    return this.#post('/api/verify', 'status', start, { signal })
  }

  /** Checks a code that a person typed. Only the status `approved` proves the number. */
  checkVerification(check: VerificationCheck, signal?: AbortSignal): Promise<Verification> {
    return this.#post('/api/verify/check', 'status', check, { signal })
  }

  /** Cancels a code, by its `id`, or the last one of the number `to`. */
  cancelVerification(code: VerificationCancel, signal?: AbortSignal): Promise<Verification> {
    return this.#post('/api/verify/cancel', 'status', code, { signal })
  }

  /**
   * Waits until a message has this status or a later one. Throws `message_failed` with the reason if the
   * message fails, and `timeout` after `timeoutMs`, by default ten minutes.
   */
  async waitUntil(
    id: string,
    status: 'sent' | 'delivered',
    { timeoutMs = WAIT_MS, signal }: WaitOptions = {},
  ): Promise<SmsMessage> {
    const wanted = STATUSES.indexOf(status)
    if (wanted < 0) throw new PocketSmsError(0, 'invalid_request', `No text becomes ${status}`)
    const end = Date.now() + timeoutMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
      const message = await this.getMessage(id, signal)
      if (STATUSES.indexOf(message.status) >= wanted) return message
      if (message.status === 'failed')
        throw new PocketSmsError(0, 'message_failed', message.error_message)
      const leftMs = end - Date.now()
      if (!(leftMs > 0)) throw new PocketSmsError(0, 'timeout', `The message is ${message.status}.`)
      await pause(Math.min(pauseMs, leftMs), signal)
    }
  }

  /**
   * Received texts, each once, until the loop is left or `signal` is aborted. After a lost connection the
   * iterator connects again, and reads what arrived meanwhile; other errors end it. Needs a user's token.
   */
  receive(options?: ReceiveOptions): AsyncGenerator<SmsMessage, void, undefined> {
    return receiveTexts(this.#connection, options)
  }

  #post<T>(path: string, expected: string, body: unknown, options: RequestOptions): Promise<T> {
    return requestJson(this.#connection, path, expected, { method: 'POST', body, ...options })
  }

  async #send(
    path: string,
    text: WithFiles<Send & TemplateSend> | WithFiles<Send>,
    { idempotencyKey = makeKey(), signal }: SendOptions = {},
  ): Promise<Accepted> {
    if (!idempotencyKey) throw new PocketSmsError(0, 'invalid_request', 'idempotencyKey is empty')
    const { attachments, ...fields } = text
    const named = attachments?.filter((file) => typeof file === 'string')
    const files = attachments?.filter((file) => typeof file !== 'string')
    const body = { ...fields, attachments: named }
    return this.#post(path, 'message_ids', body, { files, idempotencyKey, signal })
  }
}

/** An id in a path. Throws `invalid_request` for an empty one, which would name another address. */
function readId(id: string, isInPath = true): string {
  if (id) return isInPath ? encodeURIComponent(id) : id
  throw new PocketSmsError(0, 'invalid_request', 'The id is empty')
}

/** Unlike `crypto.randomUUID`, this also works on pages without https. */
const makeKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-')
