import type { IncomingMessage, ServerResponse } from 'node:http'
import { cutLogLine, DEBUG, ERROR_LEVEL } from '../../engine/logs/request-log.ts'
import type { Config } from '../../platform/config.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { findRequestGroup, type Group, STREAMS } from '../metrics/group-requests.ts'
import type { Services } from '../request-context.ts'
import type { ServedRequest } from '../served-request.ts'
import { readRoutedPath } from './clean-paths.ts'
import { isTrustedProxy, readSocketAddress } from './client-address.ts'
import { describeFault, shortenText } from './describe-failed-request.ts'
import { leaveBody } from './incoming-body.ts'
import { toLoggedPath, toLoggedUrl } from './logged-url.ts'

const REQUEST_ID = 'x-request-id'

/** Request ids that are accepted from a proxy: only characters that are safe to log. */
const SANE = /^[\w.:/+=@-]{1,128}$/

const PREFIX = `${makeRandomText(8)}-`

let count = 0

/** The request's id in logs and answer. Keeps only a trusted proxy's id: others could be forged. */
export function assignRequestId(req: IncomingMessage, res: ServerResponse, config: Config): string {
  const known = res.getHeader(REQUEST_ID)
  if (known !== undefined) return String(known)
  const given = req.headers[REQUEST_ID]
  const isOurs = typeof given === 'string' && SANE.test(given) && isTrustedProxy(req, config)
  const id = isOurs ? given : PREFIX + (++count).toString(36)
  res.setHeader(REQUEST_ID, id)
  return id
}

type TrackerServices = Pick<
  Services,
  'config' | 'settings' | 'log' | 'logs' | 'store' | 'traffic' | 'apis'
>

/** Counts and logs requests and gives them ids. After `close`, it asks clients to close their connections. */
export class RequestTracker {
  readonly #services: TrackerServices
  readonly #running = new Set<ServerResponse>()
  #isClosed = false
  #idle: (() => void) | undefined

  constructor(services: TrackerServices) {
    this.#services = services
  }

  admit(req: ServedRequest, res: ServerResponse): void {
    req.serve(res, this.#services)
    const beganMs = performance.now()
    const { log, config, traffic, settings, apis } = this.#services
    // making ids slows record views by 5 %: without request logs, only a failure that is logged gets an id
    const id = log.isLevelEnabled('info') ? assignRequestId(req, res, config) : ''
    const { method = '', url = '' } = req
    this.#running.add(res)
    if (this.#isClosed) res.setHeader('connection', 'close')
    res.on('close', () => {
      if (!req.complete) leaveBody(req)
      const ms = performance.now() - beganMs
      const status = res.headersSent ? res.statusCode : CLIENT_CLOSED
      const group = traffic.count(method, status, ms, req.path ?? readRoutedPath(apis, url))
      const finished = { id, method, url, group, status, ms }
      if (id) this.#write(req, res, finished)
      const { maxDays, minLevel } = settings.current.logs
      const level = status >= 400 && status !== CLIENT_CLOSED ? ERROR_LEVEL : DEBUG
      if (maxDays > 0 && level >= minLevel)
        logFinishedRequest(this.#services, req, res, finished, level)
      this.#running.delete(res)
      if (this.#idle && this.#isIdle()) this.#idle()
    })
  }

  close(): void {
    this.#isClosed = true
    for (const res of this.#running) if (!res.headersSent) res.setHeader('connection', 'close')
  }

  /** After `close`: waits until all requests are answered, except event streams. */
  async idle(): Promise<void> {
    if (!this.#isIdle())
      await new Promise<void>((resolve) => {
        this.#idle = resolve
      })
  }

  #isIdle(): boolean {
    const { apis } = this.#services
    return [...this.#running].every(
      ({ req: { method = '', url = '' } }) =>
        findRequestGroup(method, readRoutedPath(apis, url), apis) === STREAMS,
    )
  }

  #write(
    req: ServedRequest,
    res: ServerResponse,
    { id, method, url, status, ms }: FinishedRequest,
  ): void {
    this.#services.log.info({
      request: id,
      method,
      path: toLoggedPath(url),
      status,
      ms: Math.round(ms * 100) / 100,
      ip: req.ip,
      done: res.writableEnded,
    })
  }
}

/** The status logged when the client disconnected before the answer, as in nginx. */
const CLIENT_CLOSED = 499

interface FinishedRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly group: Group
  readonly status: number
  readonly ms: number
}

const faults = new WeakMap<ServerResponse, unknown>()

/** Keeps the error that a request was answered with, for its log line. */
export const recordFault = (res: ServerResponse, error: unknown): void =>
  void faults.set(res, error)

const isQuietRequest = ({ group, url }: FinishedRequest) =>
  group === STREAMS || group === 'realtime' || /^\/api\/logs(?:[/?]|$)/.test(url)

/** Logs a request, except preflights and successful realtime and log requests. PocketBase: middlewares.go */
function logFinishedRequest(
  services: TrackerServices,
  req: ServedRequest,
  res: ServerResponse,
  finished: FinishedRequest,
  level: number,
): void {
  const { status, id, ms } = finished
  if (finished.method === 'OPTIONS' || (level === DEBUG && isQuietRequest(finished))) return
  const { logIP, logAuthId, maxDataSize } = services.settings.current.logs
  const { headers } = req
  const method = shortenText(finished.method, 50)
  const url = toLoggedUrl(finished.url)
  const auth = req.known?.auth ?? null
  const { error, details } = describeFault(faults.get(res), url)
  const data = {
    auth: auth?.collection.name ?? '',
    ...(logAuthId && auth && { authId: auth.id }),
    ...(details && { details }),
    ...(error && { error }),
    execTime: Math.round(ms * 100) / 100,
    method,
    referer: shortenText(headers.referer && toLoggedPath(headers.referer)),
    ...(logIP && { remoteIP: readSocketAddress(req.socket) }),
    ...(id && { request: id }),
    status,
    type: 'request',
    url,
    userAgent: shortenText(headers['user-agent']),
    ...(logIP && { userIP: req.ip }),
  }
  const line = cutLogLine(
    { atMs: Date.now(), level, message: `${method} ${url}`, data },
    maxDataSize,
  )
  const isRefused = level === ERROR_LEVEL && status < 500
  services.logs.add(line, isRefused ? req.findHolder(auth) : undefined)
}
