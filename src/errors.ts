/** One wrong field of a request. `params` only when the rule has some. PocketBase: ozzo-validation codes. */
export interface FieldError {
  readonly code: string
  readonly message: string
  readonly params?: Record<string, unknown>
}

/** Errors by field name; nested objects and lists give nested maps with the index as key. */
export type ErrorData = { readonly [key: string]: FieldError | ErrorData }

/** PocketBase's sentence for a status when none is given; 400's for others. Source: tools/router/error.go */
const DEFAULT_MESSAGES: Record<number, string> = {
  400: 'Something went wrong while processing your request.',
  401: 'Missing or invalid authentication.',
  403: 'You are not allowed to perform this request.',
  404: "The requested resource wasn't found.",
  413: 'Request entity too large.',
  429: 'Too Many Requests.',
  503: 'The database cannot be reached at the moment.',
}

/** First letter upper-case and a closing mark, as PocketBase writes each message it sends. */
export function sentence(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const upper = trimmed[0]!.toUpperCase() + trimmed.slice(1)
  return /[.?!]$/.test(upper) ? upper : `${upper}.`
}

/** An error answer of the record API; `http/middleware/failure` turns it into PocketBase's JSON. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly data: ErrorData

  constructor(status: number, message = '', data: ErrorData = {}) {
    super(sentence(message || (DEFAULT_MESSAGES[status] ?? DEFAULT_MESSAGES[400]!)))
    this.status = status
    this.data = data
  }
}

/** An error answer with Retry-After: 429 for too many requests, 503 for an overloaded server. */
export class RetryLater extends ApiError {
  readonly retryAfterSeconds: number
  /** `error` of a gateway's answer, which then has `retry_after`, too; '' for that of the status. */
  readonly code: string

  constructor(status: 429 | 503, retryAfterSeconds: number, message = '', code = '') {
    super(status, message)
    this.retryAfterSeconds = retryAfterSeconds
    this.code = code
  }
}

/** An error answer of the gateway: `{"error","message"}` or only `{"message"}`. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(String(body.message ?? body.error))
    this.status = status
    this.body = body
  }
}

/** Something the person who runs the program can mend: printed as a sentence, without a stack. */
export class UserError extends Error {
  override name = 'UserError'
}

/** Runs a command: prints a UserError as a sentence, any other error with its stack. */
export async function runProgramCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** The commonest of them, by status. */
export const badRequest = (message?: string, data?: ErrorData) => new ApiError(400, message, data)
export const unauthorized = (message?: string) => new ApiError(401, message)
export const forbidden = (message?: string) => new ApiError(403, message)
export const notFound = (message?: string) => new ApiError(404, message)

/** A 400 for fields that an extension refuses. The write sets the message: `Failed to … record.` */
export const invalidFields = (data: ErrorData) => badRequest('', data)

/** What was said of errors before it was made a sentence. */
const said = new WeakMap<object, string>()

/** One field's error, its message as PocketBase would print it. */
export function fieldError(code: string, message: string, params?: Record<string, unknown>): FieldError {
  const error = params ? { code, message: sentence(message), params } : { code, message: sentence(message) }
  if (error.message !== message) said.set(error, message)
  return error
}

/** A field error's message as it was given, which is how PocketBase prints it within another message. */
export const plainMessage = (error: FieldError): string => said.get(error) ?? error.message
