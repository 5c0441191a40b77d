import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { isKey } from '../../engine/auth/identify-key.ts'
import { readHeaderToken } from '../../engine/auth/tokens.ts'
import { FilterError } from '../../engine/filter/parse-filter.ts'
import {
  ApiError,
  badRequest,
  GatewayError,
  notFound,
  RetryLater,
  unauthorized,
} from '../../platform/api-errors.ts'
import { OTHER_REFUSALS } from '../../platform/common-refusals.ts'
import { DatabaseUnavailable, toAnswerableError } from '../../platform/db/database-errors.ts'
import { counts, incrementCount } from '../../platform/tools/process-counters.ts'
import { findApi, findRequestGroup, isBelow } from '../metrics/group-requests.ts'
import type { Api, Ctx, ErrorForm, Services } from '../request-context.ts'
import { sendRaw } from '../send-answer.ts'
import { toLoggedPath } from '../server/logged-url.ts'
import { assignRequestId, recordFault } from '../server/request-tracker.ts'

const CODES: Readonly<Record<number, string>> = OTHER_REFUSALS

const findErrorCode = (status: number): string => CODES[status] ?? 'invalid_request'

export const sendError = (c: Ctx, status: number, body: object): Response =>
  sendRaw(c, JSON.stringify(body), status as ContentfulStatusCode)

/** Answers with `{"error","message"}`. A GatewayError answers with its own body. */
export const sendGatewayError: ErrorForm = (c, error) => {
  const { status, message } = error
  if (error instanceof RetryLater && error.code)
    return sendError(c, status, {
      error: error.code,
      message,
      retry_after: error.retryAfterSeconds,
    })
  return sendError(
    c,
    status,
    'body' in error ? error.body : { error: findErrorCode(status), message },
  )
}

/**
 * Answers with PocketBase's `{"data","message","status"}`. Only a GatewayError with another body than
 * `{"error","message"}` is answered with that body.
 */
export const sendPocketBaseError: ErrorForm = (c, error) => {
  const { status, message } = error
  if (error instanceof ApiError) return sendError(c, status, { data: error.data, message, status })
  const isRefusal = typeof error.body.error === 'string' && !('data' in error.body)
  return sendError(c, status, isRefusal ? { data: {}, message, status } : error.body)
}

/** Answers with `{"message"}`, as SMSGate's server does. */
export const sendMessageError: ErrorForm = (c, { status, message }) =>
  sendError(c, status, { message })

type FailureServices = Pick<Services, 'log' | 'config' | 'apis'>

/** Answers a thrown error. An unexpected one is logged and answered with 500 and a general message. */
export function answerFailure(c: Ctx, thrown: unknown, services: FailureServices): Response {
  const { method, path } = c.req
  const isRead = method === 'GET' || method === 'HEAD'
  const asked = !isRead ? 'change' : c.req.url.includes('?') ? 'list' : 'read'
  const error =
    thrown instanceof FilterError
      ? badRequest()
      : addKeyHint(c, toAnswerableError(thrown, asked), services.apis)
  recordFault(c.env.outgoing, thrown instanceof FilterError ? thrown : error)
  if (findRequestGroup(method, path, services.apis) === 'send')
    incrementCount(counts.refused, chooseErrorLabel(error))
  if (error instanceof GatewayError) return answerError(c, error, services)
  logFault(c, error, services)
  return answerError(c, error instanceof ApiError ? error : new ApiError(500), services)
}

function logFault(c: Ctx, error: unknown, { log, config }: FailureServices): void {
  const name = () => assignRequestId(c.env.incoming, c.env.outgoing, config)
  if (error instanceof DatabaseUnavailable)
    log.error({ request: name(), err: error.cause }, 'the database is unreachable')
  if (error instanceof ApiError) return
  const { method, path } = c.req
  log.error({ request: name(), method, path: toLoggedPath(path), err: error }, 'a request failed')
}

/** The metric's label for a refused send: an error code, never text of the request. */
function chooseErrorLabel(error: unknown): string {
  if (error instanceof GatewayError) return String(error.body.error)
  return findErrorCode(error instanceof ApiError ? error.status : 500)
}

/**
 * Answers 404 for an unknown route. Below the roots that PocketBase has, too, a GET or HEAD is told that a
 * file is missing, as by PocketBase.
 */
export function answerUnknownRoute(c: Ctx, services: FailureServices): Response {
  const root = findOwnApiRoot(services.apis, c.req.path)
  const isFile = c.req.method === 'GET' || c.req.method === 'HEAD'
  const message = root
    ? `No such route below ${root}: ${services.config.publicUrl}/docs shows all routes`
    : isFile
      ? 'File not found'
      : ''
  const error = notFound(message)
  recordFault(c.env.outgoing, error)
  return answerError(c, error, services)
}

function answerError(c: Ctx, error: ApiError | GatewayError, { apis }: FailureServices): Response {
  if (error instanceof RetryLater || error instanceof DatabaseUnavailable)
    c.header('retry-after', String(error.retryAfterSeconds))
  const form = c.get('errorForm') ?? findApi(apis, c.req.path)?.errorForm ?? sendPocketBaseError
  return form(c, error)
}

const RECORDS = '/api/collections/'
const FOR_HEADER = 'This is an API key. Send it in the header X-API-Key.'
const FOR_PEOPLE =
  'This route takes no API key. Sign in as a user, and send the token in Authorization.'

/** The root of a path of our own, such as `/api/sms`; undefined for all others. */
const findOwnApiRoot = (apis: readonly Api[], path: string): string | undefined =>
  findOwnApi(apis, path)?.roots.find((root) => isBelow(root, path))

const findOwnApi = (apis: readonly Api[], path: string): Api | undefined => {
  const api = findApi(apis, path)
  return api?.isOwn ? api : undefined
}

/**
 * Adds to a 401 where an API key belongs, if the request has one in the wrong place: to an error of the
 * gateway as `hint`, to another error of our own APIs as its message. PocketBase's routes keep theirs.
 */
function addKeyHint(c: Ctx, error: unknown, apis: readonly Api[]): unknown {
  const isRefusal = error instanceof GatewayError && error.body.error === 'unauthorized'
  if (!isRefusal && !(error instanceof ApiError && error.status === 401)) return error
  const hint = findKeyHint(c, apis, isRefusal)
  if (hint === undefined) return error
  return isRefusal ? new GatewayError(401, { ...error.body, hint }) : unauthorized(hint)
}

function findKeyHint(
  { req: { path }, env }: Ctx,
  apis: readonly Api[],
  isRefusal: boolean,
): string | undefined {
  const own = findOwnApi(apis, path)
  if (!own && !(isRefusal && path.startsWith(RECORDS))) return undefined
  const { authorization, 'x-api-key': header } = env.incoming.headers
  const isBearer = isKey(readHeaderToken(authorization))
  if (own?.takesKeys && isRefusal) return isBearer ? FOR_HEADER : undefined
  if (!isBearer && header === undefined) return undefined
  return own?.takesKeys ? FOR_PEOPLE : writeTokenHint(apis)
}

const LIST = new Intl.ListFormat('en-GB')

function writeTokenHint(apis: readonly Api[]): string {
  const roots = apis.flatMap((api) => (api.takesKeys ? api.roots : []))
  return `API keys open only ${LIST.format(roots)}. Sign in as a user, and send the token in Authorization.`
}
