import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../config.ts'
import { DEBUG, ERROR } from '../../logs/request-log.ts'
import { groupOf, STREAMS } from '../../metrics/traffic.ts'
import { randomText } from '../../tools/random.ts'
import type { Services } from '../context.ts'
import { ipOf, isTrusted } from './client-ip.ts'
import { pathOf } from './front.ts'
import { loggedPath } from './logged-url.ts'
import { CLIENT_CLOSED, type FinishedRequest, logFinishedRequest } from './request-log-line.ts'

/** Largest unread body to read to its end; time for a larger one's client to read the answer. Go: net/http */
const [MAX_UNREAD_BYTES, HANG_UP_MS] = [256 << 10, 500]

const REQUEST_ID = 'x-request-id'
/** Ids accepted from a proxy: characters that are safe to log. */
const SANE = /^[\w.:/+=@-]{1,128}$/

const PREFIX = `${randomText(8)}-`
let count = 0

/** The request's id in logs and answer. Keeps only a trusted proxy's id: others could be forged. */
export function assignRequestId(req: IncomingMessage, res: ServerResponse, config: Config): string {
  const known = res.getHeader(REQUEST_ID)
  if (known !== undefined) return String(known)
  const given = req.headers[REQUEST_ID]
  const isOurs = typeof given === 'string' && SANE.test(given) && isTrusted(req, config)
  const id = isOurs ? given : PREFIX + (++count).toString(36)
  res.setHeader(REQUEST_ID, id)
  return id
}

type TrackerServices = Pick<
  Services,
  'config' | 'settings' | 'log' | 'logs' | 'store' | 'traffic' | 'protocols'
>

/** Counts, names and logs requests. Once closed, asks clients to close and resolves when all are answered. */
export class RequestTracker {
  readonly #services: TrackerServices
  readonly #running = new Set<ServerResponse>()
  #isClosed = false
  #idle: (() => void) | undefined

  constructor(services: TrackerServices) {
    this.#services = services
  }

  admit(req: IncomingMessage, res: ServerResponse): void {
    const beganMs = performance.now()
    const { log, config, traffic, settings, protocols } = this.#services
    // an id costs 5 % of a view's rate: without request logs, only a failed request gets one, when
    // the failure is logged
    const id = log.isLevelEnabled('info') ? assignRequestId(req, res, config) : ''
    const { method = '', url = '' } = req
    this.#running.add(res)
    if (this.#isClosed) res.setHeader('connection', 'close')
    res.on('close', () => {
      if (!req.complete) leaveBody(req)
      const ms = performance.now() - beganMs
      const status = res.headersSent ? res.statusCode : CLIENT_CLOSED
      const group = traffic.count(method, status, ms, pathOf(protocols, url))
      const finished = { id, method, url, group, status, ms }
      if (id) this.#write(req, res, finished)
      const { maxDays, minLevel } = settings.current.logs
      const level = status >= 400 && status !== CLIENT_CLOSED ? ERROR : DEBUG
      if (maxDays > 0 && level >= minLevel) logFinishedRequest(this.#services, req, res, finished, level)
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
    const { protocols } = this.#services
    return [...this.#running].every(
      ({ req: { method = '', url = '' } }) => groupOf(method, pathOf(protocols, url), protocols) === STREAMS,
    )
  }

  #write(req: IncomingMessage, res: ServerResponse, { id, method, url, status, ms }: FinishedRequest): void {
    this.#services.log.info({
      request: id,
      method,
      path: loggedPath(url),
      status,
      ms: Math.round(ms * 100) / 100,
      ip: ipOf(req, this.#services),
      done: res.writableEnded,
    })
  }
}

function leaveBody(req: IncomingMessage): void {
  if (Number(req.headers['content-length'] ?? Infinity) <= MAX_UNREAD_BYTES) return void req.resume()
  req.socket.pause().end()
  req.socket.setTimeout(HANG_UP_MS) // then endStalled closes it
}
