import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, GatewayError } from '../../errors.ts'
import { cutLine, DEBUG, ERROR } from '../../logs/request-log.ts'
import { type Group, STREAMS } from '../../metrics/traffic.ts'
import type { Services } from '../context.ts'
import { addressOf, ipOf } from './client-ip.ts'
import { loggedPath, loggedUrl } from './logged-url.ts'
import { callerOf, holderOf } from './store-of.ts'

/** The status logged when the client disconnected before the answer, as in nginx. */
export const CLIENT_CLOSED = 499

export interface FinishedRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly group: Group
  readonly status: number
  readonly ms: number
}

const faults = new WeakMap<ServerResponse, unknown>()

/** Stores why a request fails, for its log line. */
export const recordFault = (res: ServerResponse, error: unknown): void => void faults.set(res, error)

type LogServices = Pick<Services, 'config' | 'settings' | 'logs' | 'store' | 'protocols'>

const isQuiet = ({ group, url }: FinishedRequest) =>
  group === STREAMS || group === 'realtime' || /^\/api\/logs(?:[/?]|$)/.test(url)

const MAX_TEXT = 300
const cut = (text: string | undefined, length = MAX_TEXT) =>
  text && text.length > length ? `${text.slice(0, length)}...` : (text ?? '')

/** Adds a request to the stored logs, except preflights and quiet successes. PocketBase: middlewares.go */
export function logFinishedRequest(
  services: LogServices,
  req: IncomingMessage,
  res: ServerResponse,
  finished: FinishedRequest,
  level: number,
): void {
  const { status, id, ms } = finished
  if (finished.method === 'OPTIONS' || (level === DEBUG && isQuiet(finished))) return
  const { logIP, logAuthId, maxDataSize } = services.settings.current.logs
  const { headers } = req
  const method = cut(finished.method, 50)
  const url = loggedUrl(finished.url)
  const auth = callerOf(services, req)
  const { error, details } = describeFault(faults.get(res))
  const data = {
    auth: auth?.collection.name ?? '',
    ...(logAuthId && auth && { authId: auth.id }),
    ...(details && { details }),
    ...(error && { error }),
    execTime: Math.round(ms * 100) / 100,
    method,
    referer: cut(headers.referer && loggedPath(headers.referer)),
    ...(logIP && { remoteIP: addressOf(req.socket) }),
    ...(id && { request: id }),
    status,
    type: 'request',
    url,
    userAgent: cut(headers['user-agent']),
    ...(logIP && { userIP: ipOf(req, services) }),
  }
  const line = cutLine({ atMs: Date.now(), level, message: `${method} ${url}`, data }, maxDataSize)
  const isRefused = level === ERROR && status < 500
  services.logs.add(line, isRefused ? holderOf(req, services, auth) : undefined)
}

/** Describes a failed answer without values. Details of internal errors go to standard output only. */
function describeFault(fault: unknown): { error?: string; details?: object } {
  if (fault === undefined) return {}
  if (fault instanceof ApiError) {
    const details = codesOf(fault.data)
    return { error: withoutValues(fault.message), ...(Object.keys(details).length > 0 && { details }) }
  }
  if (fault instanceof GatewayError) {
    const code = fault.body.error
    return { error: withoutValues(fault.message), ...(code !== undefined && { details: { code } }) }
  }
  const { name, code } = Object(fault) as { readonly name?: unknown; readonly code?: unknown }
  return { error: 'A fault of the server', details: { code: String(code ?? name ?? '') } }
}

/** Removes long numbers and quoted texts, which may come from the request. */
const withoutValues = (text: string) =>
  cut(
    cut(text)
      .replace(/".*"/s, '"…"')
      .replace(/\+?\d{5,}/g, '…'),
  )

/** Keeps the error codes only: `data` may contain values of the request. */
function codesOf(data: object): object {
  return Object.fromEntries(Object.entries(data).map(([name, error]) => [withoutValues(name), codeOf(error)]))
}

function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return '…'
  return 'code' in error && typeof error.code === 'string' ? error.code : codesOf(error)
}
