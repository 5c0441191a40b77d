import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { counts, increment } from '../../counts.ts'
import { answerableFault, DatabaseUnavailable } from '../../db/errors.ts'
import { ApiError, GatewayError, notFound, RetryLater } from '../../errors.ts'
import { OTHER_REFUSALS } from '../../sms/send/refusal.ts'
import { CLIENT_PATH } from '../../smsgate-client/path.ts'
import { TwilioRefusal } from '../../twilio/refusal.ts'
import type { Ctx, Services } from '../context.ts'
import { sendRaw } from '../send-json.ts'
import { loggedPath } from '../server/logged-url.ts'
import { recordFault } from '../server/request-log-line.ts'
import { assignRequestId } from '../server/request-tracker.ts'
import { answerTwilioFailure, isTwilio } from '../twilio/failure.ts'

/** The sends, whose refusals are counted. */
const SEND_PATH = /^\/api\/sms\/send(?:-template)?$/
const isSend = ({ req: { method, path } }: Ctx) =>
  SEND_PATH.test(path) || (method === 'POST' && path === `${CLIENT_PATH}/messages`)

const GATEWAY_ERRORS: Readonly<Record<number, string>> = OTHER_REFUSALS

/**
 * The answer to whatever was thrown. What is no answer of ours is a bug: logged whole, answered with a fixed
 * sentence.
 */
export function answerFailure(
  c: Ctx,
  thrown: unknown,
  { log, config }: Pick<Services, 'log' | 'config'>,
): Response {
  const error = answerableFault(thrown, c.req.method === 'GET' || c.req.method === 'HEAD')
  recordFault(c.env.outgoing, error)
  if (isSend(c)) increment(counts.refused, codeOf(error))
  if (isTwilio(c.req.path)) return answerForTwilio(c, error, { log, config })
  if (error instanceof GatewayError) return send(c, error.status, bodyOf(c, error))
  logFault(c, error, { log, config })
  return answerApiError(c, error instanceof ApiError ? error : new ApiError(500))
}

/** Logs what is no answer of ours, and that the database is away. */
function logFault(c: Ctx, error: unknown, { log, config }: Pick<Services, 'log' | 'config'>): void {
  const name = () => assignRequestId(c.env.incoming, c.env.outgoing, config)
  if (error instanceof DatabaseUnavailable)
    log.error({ request: name(), err: error.cause }, 'the database is away')
  if (error instanceof ApiError) return
  log.error(
    { request: name(), method: c.req.method, path: loggedPath(c.req.path), err: error },
    'a request failed',
  )
}

function answerForTwilio(c: Ctx, error: unknown, services: Pick<Services, 'log' | 'config'>): Response {
  if (!(error instanceof GatewayError || error instanceof TwilioRefusal)) logFault(c, error, services)
  return answerTwilioFailure(c, error)
}

/** What a refused send is counted as: a word of ours, never one of the request's. */
function codeOf(error: unknown): string {
  if (error instanceof GatewayError) return String(error.body.error ?? 'template')
  return GATEWAY_ERRORS[error instanceof ApiError ? error.status : 500] ?? 'invalid_request'
}

/**
 * The answer where no route is: outside of the API, and for reads inside too, PocketBase looks for a static
 * file.
 */
export function answerUnknownRoute(c: Ctx): Response {
  const isFile = c.req.method === 'GET' || c.req.method === 'HEAD'
  const error = isFile ? notFound('File not found') : notFound()
  recordFault(c.env.outgoing, error)
  return answerApiError(c, error)
}

function answerApiError(c: Ctx, error: ApiError): Response {
  const { data, message, status } = error
  if (error instanceof RetryLater) c.header('retry-after', String(error.retryAfterSeconds))
  const form = c.get('errorForm')
  if (form === 'smsgate') return send(c, status, { message })
  if (form === 'gateway')
    return send(c, status, { error: GATEWAY_ERRORS[status] ?? 'invalid_request', message })
  return send(c, status, { data, message, status })
}

/** A refusal of the gateway in the form of the route. Other bodies of their own stay what they are. */
function bodyOf(c: Ctx, { body, message, status }: GatewayError): object {
  const form = c.get('errorForm')
  if (form === 'smsgate') return { message }
  const isRefusal = typeof body.error === 'string' && !('data' in body)
  return form === undefined && isRefusal ? { data: {}, message, status } : body
}

const send = (c: Ctx, status: number, body: object) =>
  sendRaw(c, JSON.stringify(body), status as ContentfulStatusCode)
