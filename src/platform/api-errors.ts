/** The error of one field of a request. `code` and `params` are as in PocketBase (ozzo-validation). */
export interface FieldError {
  readonly code: string
  readonly message: string
  readonly params?: Record<string, unknown>
}

/** Errors by field name. A field that is an object or a list has a nested map; a list's keys are indexes. */
export type ErrorData = { readonly [key: string]: FieldError | ErrorData }

/** Default messages by status; other statuses have that of 400. PocketBase: tools/router/error.go */
const DEFAULT_MESSAGES: Record<number, string> = {
  400: 'Something went wrong while processing your request.',
  401: 'Missing or invalid authentication.',
  403: 'You are not allowed to perform this request.',
  404: "The requested resource wasn't found.",
  413: 'Request entity too large.',
  415: 'Unsupported media type.',
  429: 'Too Many Requests.',
  503: 'The database cannot be reached at the moment.',
}

/** Capitalizes the first letter and adds a missing period, as PocketBase does for each message. */
export function toSentence(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const upper = trimmed[0]!.toUpperCase() + trimmed.slice(1)
  return /[.?!]$/.test(upper) ? upper : `${upper}.`
}

/** An error answer of the record API; `http/middleware/answer-errors` turns it into PocketBase's JSON. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly data: ErrorData

  constructor(status: number, message = '', data: ErrorData = {}) {
    super(toSentence(message || (DEFAULT_MESSAGES[status] ?? DEFAULT_MESSAGES[400]!)))
    this.status = status
    this.data = data
  }
}

/** An error answer with Retry-After: 429 for too many requests, 503 for an overloaded server. */
export class RetryLater extends ApiError {
  readonly retryAfterSeconds: number
  /** Value of `error` in an answer `{"error","message","retry_after"}`. '': an answer like ApiError's. */
  readonly code: string

  constructor(status: 429 | 503, retryAfterSeconds: number, message = '', code = '') {
    super(status, message)
    this.retryAfterSeconds = retryAfterSeconds
    this.code = code
  }
}

/** 429 for too many tries. `code` as in RetryLater. */
export const tooManyTries = (waitSeconds: number, message?: string, code?: string) =>
  new RetryLater(429, waitSeconds, message, code)

/** 503 for what may succeed after this time. */
export const tryLater = (waitSeconds: number, message?: string) =>
  new RetryLater(503, waitSeconds, message)

/** An error answer of the gateway's own routes: `{"error","message"}` or only `{"message"}`. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(String(body.message ?? body.error ?? 'A second method is required'))
    this.status = status
    this.body = body
  }
}

/** An error that the person who runs the program can fix: printed without a stack trace. */
export class UserError extends Error {
  override name = 'UserError'
}

/** Runs a command. Prints a UserError and sets the exit code 1. Throws other errors. */
export async function runProgramCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

export const badRequest = (message?: string, data?: ErrorData) => new ApiError(400, message, data)
export const unauthorized = (message?: string) => new ApiError(401, message)
export const forbidden = (message?: string) => new ApiError(403, message)
export const notFound = (message?: string) => new ApiError(404, message)

/** A 400 for refused fields of a record. The code that writes the record sets the message. */
export const invalidFields = (data: ErrorData) => badRequest('', data)

/** The original message of each field error, if `toSentence()` changed the message. */
const said = new WeakMap<object, string>()

/** Makes a field's error. Its message becomes a sentence, as in PocketBase. */
export function makeFieldError(
  code: string,
  message: string,
  params?: Record<string, unknown>,
): FieldError {
  const error = params
    ? { code, message: toSentence(message), params }
    : { code, message: toSentence(message) }
  if (error.message !== message) said.set(error, message)
  return error
}

/** A field error's original message. PocketBase prints this form inside other messages. */
export const findPlainMessage = (error: FieldError): string => said.get(error) ?? error.message
