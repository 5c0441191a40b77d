/** Pauses before the second and the third attempt. */
const PAUSES_MS = [500, 2_000]
/** A server that asks for a longer pause gets no second attempt. */
const MAX_PAUSE_MS = 10_000
const TIMEOUT_MS = 30_000
const IS_TEMPORARY = new Set([0, 429, 502, 503, 504])

/** The one class of this package's errors. */
export class PocketSmsError extends Error {
  override readonly name = 'PocketSmsError'
  /** The status of the server's answer; 0 if the error has no answer. */
  readonly status: number
  /** The server's `error`, such as `invalid_phone_number`; `no_answer`, `timeout`, `message_failed`, … */
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
}

/** A server, and the headers that name the caller. */
export interface Connection {
  readonly url: string
  readonly headers: Record<string, string>
}

export interface RequestOptions {
  readonly method?: string
  /** A form, or values that are sent as JSON. */
  readonly body?: unknown
  /** Requests with such a key, and GET requests, are repeated after temporary errors. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

/** The body of the server's answer. Throws PocketSmsError, or the reason of `signal`. */
export async function requestJson<T>(
  connection: Connection,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const mayRepeat = options.idempotencyKey !== undefined || !options.method
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryRequest<T>(connection, path, options)
    } catch (error) {
      if (!(error instanceof PocketSmsError && mayRepeat && IS_TEMPORARY.has(error.status)))
        throw error
      const pauseMs = Math.max(PAUSES_MS[attempt] ?? Number.POSITIVE_INFINITY, error.retryAfterMs)
      if (pauseMs > MAX_PAUSE_MS) throw error
      await pause(pauseMs, options.signal)
    }
  }
}

async function tryRequest<T>(
  { url, headers }: Connection,
  path: string,
  { method, body, idempotencyKey, signal }: RequestOptions,
): Promise<T> {
  const isJson = body !== undefined && !(body instanceof FormData)
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  let response: Response
  let text: string
  try {
    response = await fetch(url + path, {
      method,
      headers: {
        ...headers,
        ...(isJson && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: isJson ? JSON.stringify(body) : (body as FormData | undefined),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    text = await response.text()
  } catch (error) {
    signal?.throwIfAborted()
    throw new PocketSmsError(0, 'no_answer', String(error))
  }
  if (!response.ok) throw makeError(response, text)
  return (text ? JSON.parse(text) : undefined) as T
}

/** The error of an answer, in the form of `/api/sms` or of PocketBase's records. */
export function makeError({ status, headers }: Response, text: string): PocketSmsError {
  let body: { error?: string; message?: string; hint?: string } = {}
  try {
    body = JSON.parse(text)
  } catch {
    // a proxy answers with a page
  }
  const { error = `http_${status}`, message = `The server answered ${status}.`, hint } = body
  const retryAfterMs = 1_000 * Number(headers.get('retry-after') ?? 0)
  return new PocketSmsError(status, error, message, hint, retryAfterMs)
}

/** Waits. Throws the reason of `signal` as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
