import type { AnswerMeter } from './answer-meter.ts'
import type { AuthRecord, RequestContext, RequestInfo } from './request.ts'

/** A request without its headers. */
export type RequestParts = Omit<RequestInfo, 'headers'>

/**
 * A request whose headers are only read when a rule asks for them. A class with its getter on the prototype:
 * an object with a getter of its own gets a shape of its own, which outlives it (a fifth of a request's time
 * went to the garbage collector that way), and so does an object made from another one by Object.create.
 */
class RequestWithLazyHeaders implements RequestInfo {
  readonly context: RequestContext
  readonly method: string
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly auth: AuthRecord | null
  readonly meter: AnswerMeter | undefined
  readonly #readHeaders: () => Readonly<Record<string, string>>
  #headers: Readonly<Record<string, string>> | undefined

  constructor(parts: RequestParts, readHeaders: () => Readonly<Record<string, string>>) {
    this.context = parts.context
    this.method = parts.method
    this.query = parts.query
    this.body = parts.body
    this.auth = parts.auth
    this.meter = parts.meter
    this.#readHeaders = readHeaders
  }

  get headers() {
    this.#headers ??= this.#readHeaders()
    return this.#headers
  }
}

/** A request from its parts. */
export const requestWithLazyHeaders = (
  parts: RequestParts,
  readHeaders: () => Readonly<Record<string, string>>,
): RequestInfo => new RequestWithLazyHeaders(parts, readHeaders)

/** The same request with some parts changed. */
export function changeRequest(request: RequestInfo, changes: Partial<RequestParts>): RequestInfo {
  const { context, method, query, body, auth, meter } = request
  const parts = { context, method, query, body, auth, meter, ...changes }
  return new RequestWithLazyHeaders(parts, () => request.headers)
}
