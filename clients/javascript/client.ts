import { type ReceiveOptions, receiveTexts } from './receive-texts.ts'
import { type Connection, PocketSmsError, pause, requestJson } from './request.ts'
import type { Accepted, Send, SmsMessage, TemplateSend } from './types.ts'

export { PocketSmsError } from './request.ts'
export type * from './types.ts'

/** What a send takes: `attachments` may be files, beside addresses. */
export type WithFiles<T> = Omit<T, 'attachments'> & {
  readonly attachments?: readonly (string | Blob)[]
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

const STATUSES = ['pending', 'assigned', 'sending', 'sent', 'delivered']
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
const WAIT_MS = 600_000

/** A client of one server, with an API key, or with the token of a signed-in user. */
export class PocketSms {
  readonly #connection: Connection

  constructor(url: string, credential: { readonly key: string } | { readonly token: string }) {
    const headers: Record<string, string> =
      'key' in credential
        ? { 'x-api-key': credential.key }
        : { authorization: `Bearer ${credential.token}` }
    this.#connection = { url: url.replace(/\/+$/, ''), headers }
  }

  /** Sends a text, or pictures and other files as an MMS. */
  send(text: WithFiles<Send>, options?: SendOptions): Promise<Accepted> {
    return this.#send('/api/sms/send', text, options)
  }

  /** Sends each recipient a text that the server makes of a template. */
  sendTemplate(text: WithFiles<TemplateSend>, options?: SendOptions): Promise<Accepted> {
    return this.#send('/api/sms/send-template', text, options)
  }

  /** A message that was sent, with its status. */
  getMessage(id: string, signal?: AbortSignal): Promise<SmsMessage> {
    const path = `/api/sms/messages/${encodeURIComponent(id)}`
    return requestJson(this.#connection, path, { signal })
  }

  /** The message with this `client_ref`; undefined if there is none. */
  async findMessage(clientRef: string, signal?: AbortSignal): Promise<SmsMessage | undefined> {
    const path = `/api/sms/messages?client_ref=${encodeURIComponent(clientRef)}`
    const { items } = await requestJson<{ items: SmsMessage[] }>(this.#connection, path, { signal })
    return items[0]
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
    const end = Date.now() + timeoutMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
      const message = await this.getMessage(id, signal)
      if (STATUSES.indexOf(message.status) >= STATUSES.indexOf(status)) return message
      if (message.status === 'failed')
        throw new PocketSmsError(0, 'message_failed', message.error_message)
      const leftMs = end - Date.now()
      if (leftMs <= 0) throw new PocketSmsError(0, 'timeout', `The message is ${message.status}.`)
      await pause(Math.min(pauseMs, leftMs), signal)
    }
  }

  /**
   * Received texts, each once, until the loop is left or `signal` is aborted. After a lost connection the
   * iterator connects again, and reads what arrived meanwhile. Needs the token of a user.
   */
  receive(options?: ReceiveOptions): AsyncGenerator<SmsMessage, void, undefined> {
    return receiveTexts(this.#connection, options)
  }

  #send(
    path: string,
    { attachments, ...fields }: WithFiles<Send & TemplateSend> | WithFiles<Send>,
    { idempotencyKey = makeKey(), signal }: SendOptions = {},
  ): Promise<Accepted> {
    const hasFiles = attachments?.some((file) => file instanceof Blob)
    const body = hasFiles ? makeForm(fields, attachments!) : { ...fields, attachments }
    return requestJson(this.#connection, path, { method: 'POST', body, idempotencyKey, signal })
  }
}

/** The fields of a send as a form, which alone can hold files. */
function makeForm(fields: object, attachments: readonly (string | Blob)[]): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue
    if (Array.isArray(value)) for (const item of value) form.append(name, String(item))
    else form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  for (const file of attachments) form.append('attachments', file)
  return form
}

/** Unlike `crypto.randomUUID`, this also works on pages without https. */
const makeKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-')
