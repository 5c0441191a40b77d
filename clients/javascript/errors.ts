const TEMPORARY = new Set([408, 429, 502, 503, 504])

/** The one class of this package's errors. */
export class PocketSmsError extends Error {
  override readonly name = 'PocketSmsError'
  /** The status of the server's answer; 0 if the error has no answer. */
  readonly status: number
  /** The server's `error`, such as `invalid_phone_number`; `no_answer`, `bad_answer`, `timeout`, … */
  readonly code: string
  /** What the server proposes, if anything. */
  readonly hint: string
  /** The pause that the server asks for; 0 if none. */
  readonly retryAfterMs: number

  constructor(status: number, code: string, message: string, hint = '', retryAfterMs = 0) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request can succeed later: no answer, a busy server, a proxy without its server. */
  get isTemporary(): boolean {
    const isCloudflares = this.status >= 520 && this.status <= 530
    return this.code === 'no_answer' || TEMPORARY.has(this.status) || isCloudflares
  }
}

/** The error of a request without a whole answer. */
export function noAnswer(error: unknown): PocketSmsError {
  const { cause } = Object(error) as { cause?: { code?: string; message?: string } }
  const reason = cause?.code ?? cause?.message
  return new PocketSmsError(0, 'no_answer', `The server gave no answer: ${reason ?? error}`)
}

/** The error of a successful answer that no pocketsms server gives. */
export const notOurs = (status: number, text: string) =>
  new PocketSmsError(
    status,
    'bad_answer',
    `The address does not lead to pocketsms: it answers ${JSON.stringify(text.slice(0, 80))}.`,
  )

/** The error of an answer, in the form of `/api/sms` or of PocketBase's records. */
export function makeError({ status, type, headers }: Response, text: string): PocketSmsError {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const target = headers.get('location') ?? 'another address'
    const sentence = `The server redirects to ${target}: use the address to which it leads.`
    return new PocketSmsError(status, 'redirected', sentence)
  }
  let body: Readonly<Record<string, unknown>> = {}
  try {
    body = JSON.parse(text) ?? {}
  } catch {
    // a proxy answers with a page
  }
  const read = (name: string) => (typeof body[name] === 'string' ? body[name] : '')
  return new PocketSmsError(
    status,
    read('error') || `http_${status}`,
    read('message') || `The server answered ${status}.`,
    read('hint'),
    readRetryAfter(headers),
  )
}

/** The three forms of dates in HTTP. RFC 9110, 5.6.7 */
const HTTP_DATE = /^[a-z]{3,9},? [\w -]+ \d\d:\d\d:\d\d( GMT| \d{4})$/i

/** Milliseconds; 0 for none, and for what is neither a number of seconds nor a date. RFC 9110, 10.2.3 */
function readRetryAfter(headers: Headers): number {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return 1_000 * Number(text)
  if (!HTTP_DATE.test(text)) return 0
  // the form of asctime has no zone, and means GMT; the clocks of two computers differ
  const until = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  return Math.max(0, until - now) || 0
}
