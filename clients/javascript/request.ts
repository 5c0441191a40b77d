import { makeError, noAnswer, notOurs, PocketSmsError } from './errors.ts'

const FIRST_PAUSE_MS = 500
/** A server that asks for a longer pause gets no further attempt. */
const MAX_PAUSE_MS = 10_000
const MAX_TIMER_MS = 2 ** 31 - 1

/** What `onRequest` gets after each attempt. */
export interface RequestEvent {
  readonly method: string
  /** The address behind that of the server. */
  readonly path: string
  /** 1 for the first one. */
  readonly attempt: number
  /** The status of the answer; 0 without an answer. */
  readonly status: number
  readonly durationMs: number
  /** Absent after a success. */
  readonly error?: PocketSmsError
}

export interface Settings {
  /** How long an attempt may wait for its answer. Default: 30,000. */
  readonly timeoutMs?: number
  /** How many attempts a request has at most. Default: 3. */
  readonly attempts?: number
  /** Called after each attempt, such as for a log. What it throws is ignored. */
  readonly onRequest?: (event: RequestEvent) => void
}

/** A server, and the headers that name the caller. */
export interface Connection extends Required<Omit<Settings, 'onRequest'>> {
  readonly url: string
  readonly headers: Record<string, string>
  readonly onRequest: Settings['onRequest']
}

/** Checks what a program has set. Throws PocketSmsError that names what lacks. */
export function makeConnection(
  address: string,
  credential: { readonly key?: string; readonly token?: string } & Settings,
): Connection {
  const refuse = (text: string) => new PocketSmsError(0, 'invalid_setting', text)
  const url = typeof address === 'string' ? address.trim() : ''
  if (!/^(https?:\/\/.|\/)/i.test(url) || (url[0] === '/' && !('location' in globalThis)))
    throw refuse(`PocketSms needs the address of the server, as in https://sms.example.com: ${url}`)
  const { key, token, timeoutMs = 30_000, attempts = 3, onRequest } = credential ?? {}
  const secret = String(key ?? token ?? '').trim()
  if (!/^[!-~]+$/.test(secret))
    throw refuse('PocketSms needs an API key or a token: { key } is empty')
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS)) throw refuse('timeoutMs must be above 0')
  if (!(attempts >= 1)) throw refuse('attempts must be 1 or more')
  const headers: Record<string, string> =
    key == null ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret }
  return { url: url.replace(/\/+$/, ''), headers, timeoutMs, attempts, onRequest }
}

export interface RequestOptions {
  readonly method?: string
  /** A form, or values that are sent as JSON. */
  readonly body?: unknown
  /** Files that leave beside the values of `body`. */
  readonly files?: readonly Blob[]
  readonly idempotencyKey?: string
  /** Repeated after temporary errors. Default: GET requests, and those with an idempotency key. */
  readonly mayRepeat?: boolean
  readonly signal?: AbortSignal
}

/**
 * The body of the server's answer, which has the field `expected`. Throws PocketSmsError, or the reason of
 * `signal`.
 */
export async function requestJson<T>(
  connection: Connection,
  path: string,
  expected: string,
  options: RequestOptions = {},
): Promise<T> {
  const { method = 'GET', idempotencyKey, signal } = options
  const { mayRepeat = method === 'GET' || idempotencyKey !== undefined } = options
  const request = writeRequest(options)
  for (let attempt = 1; ; attempt++) {
    try {
      const asked = { method, path, attempt }
      return await tryRequest(connection, asked, { ...request, signal }, async (response) =>
        readAnswer<T>(response, await response.text(), expected),
      )
    } catch (error) {
      const isRepeated =
        error instanceof PocketSmsError &&
        error.isTemporary &&
        mayRepeat &&
        attempt < connection.attempts
      if (!isRepeated || error.retryAfterMs > MAX_PAUSE_MS) throw error
      const pauseMs = Math.min(FIRST_PAUSE_MS * 4 ** (attempt - 1), MAX_PAUSE_MS)
      await pause(Math.max(pauseMs, error.retryAfterMs), signal)
    }
  }
}

/**
 * One attempt of a request. `timeoutMs` ends its reading, too; Infinity: never. Follows no redirect, which
 * would lose the body of a post, or show the key to others. Throws as requestJson does.
 */
export async function tryRequest<T>(
  connection: Connection,
  asked: Pick<RequestEvent, 'method' | 'path' | 'attempt'>,
  { signal, ...request }: Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>,
  read: (response: Response) => Promise<T>,
  timeoutMs = connection.timeoutMs,
): Promise<T> {
  const begun = Date.now()
  const signals = [signal, timeoutMs < MAX_TIMER_MS && AbortSignal.timeout(timeoutMs)]
  let status = 0
  let error: PocketSmsError | undefined
  try {
    const response = await fetch(connection.url + asked.path, {
      ...request,
      headers: { ...connection.headers, ...request.headers },
      redirect: 'manual',
      signal: AbortSignal.any(signals.filter((one) => one instanceof AbortSignal)),
    })
    status = response.status
    return await read(response)
  } catch (failure) {
    signal?.throwIfAborted()
    error = failure instanceof PocketSmsError ? failure : noAnswer(failure)
    throw error
  } finally {
    try {
      const durationMs = Date.now() - begun
      connection.onRequest?.({ ...asked, status, durationMs, ...(error && { error }) })
    } catch {
      // a log must not end a request that the server has answered
    }
  }
}

/** A request that can be sent several times. Throws `invalid_request` for what cannot be sent. */
function writeRequest({ method, body, files = [], idempotencyKey }: RequestOptions) {
  try {
    const headers: Record<string, string> = {}
    if (idempotencyKey)
      headers['idempotency-key'] = new Headers([['key', idempotencyKey]]).get('key')!
    if (body === undefined) return { method, headers }
    const json = writeJson(body)
    if (files.length === 0) {
      headers['content-type'] = 'application/json'
      return { method, headers, body: json }
    }
    const form = new FormData()
    form.append('@jsonPayload', json)
    // with a name, what is no file is refused
    for (const file of files) form.append('attachments', file, (file as File).name ?? 'file')
    return { method, headers, body: form }
  } catch (error) {
    throw new PocketSmsError(0, 'invalid_request', String(error))
  }
}

/** Unlike JSON itself, this drops no value: NaN and invalid dates would become null, which means absent. */
const writeJson = (body: unknown): string =>
  JSON.stringify(body, function (this: Record<string, unknown>, name, value) {
    const given = this[name]
    if ((typeof given === 'number' || given instanceof Date) && !Number.isFinite(Number(given)))
      throw new TypeError(`${name} is ${given}`)
    return value
  })

function readAnswer<T>(response: Response, text: string, expected: string): T {
  if (!response.ok) throw makeError(response, text)
  if (!expected) return undefined as T
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    // below
  }
  if (typeof answer === 'object' && answer !== null && expected in answer) return answer as T
  throw notOurs(response.status, text)
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
