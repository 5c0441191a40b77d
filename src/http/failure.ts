import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DatabaseAway } from '../db/errors.ts'
import { ApiError, GatewayError, notFound } from '../errors.ts'
import type { Logger } from '../log.ts'
import { type Ctx, sendRaw } from './context.ts'

/** The gateway's own endpoints: their errors are `{"error","message"}`, whoever raises them. */
const GATEWAY_PATH = /^\/api\/(?:sms|devices)(?:\/|$)/

const GATEWAY_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'request_too_large',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'unavailable',
}

/** The answer to whatever was thrown. What is no answer of ours is a bug: logged whole, answered with a fixed sentence. */
export function answerFailure(c: Ctx, error: unknown, log: Logger): Response {
  if (error instanceof GatewayError) return send(c, error.status, error.body)
  if (error instanceof DatabaseAway) log.error({ err: error.cause }, 'the database is away')
  if (error instanceof ApiError) return answerApiError(c, error)
  log.error({ err: error, method: c.req.method, path: c.req.path }, 'a request failed')
  return answerApiError(c, new ApiError(500))
}

/** The answer where no route is: outside of the API, and for reads inside too, PocketBase looks for a static file. */
export function answerUnknownRoute(c: Ctx): Response {
  const isFile = c.req.method === 'GET' || c.req.method === 'HEAD'
  return answerApiError(c, isFile ? notFound('File not found') : notFound())
}

function answerApiError(c: Ctx, { data, message, status }: ApiError): Response {
  if (!GATEWAY_PATH.test(c.req.path)) return send(c, status, { data, message, status })
  return send(c, status, { error: GATEWAY_ERRORS[status] ?? 'invalid_request', message })
}

const send = (c: Ctx, status: number, body: object) =>
  sendRaw(c, JSON.stringify(body), status as ContentfulStatusCode)
