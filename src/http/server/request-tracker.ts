import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { DEBUG, ERROR } from '../../logs/request-log.ts'
import { groupOf, STREAMS } from '../../metrics/traffic.ts'
import { randomText } from '../../tools/random.ts'
import type { Services } from '../context.ts'
import { ipOf, isTrusted } from './client-ip.ts'
import { loggedPath } from './logged-url.ts'
import { CLIENT_CLOSED, type FinishedRequest, logFinishedRequest } from './request-log-line.ts'
import { pathOf, protocolOf } from './routed-path.ts'

/** Bytes to read of an unread body, and how long its client may read the answer. Go: net/http */
const [MAX_UNREAD_BYTES, HANG_UP_MS] = [256 << 10, 500]

const REQUEST_ID = 'x-request-id'
/** The form of an id accepted from a proxy. It is logged. */
const SANE = /^[\w.:/+=@-]{1,128}$/
/** How long a stop waits for the first request of a connection. Browsers open some that they never use. */
const FIRST_REQUEST_MS = 500

/** Ids are a random prefix of the process and a counter. */
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
  readonly #log: Logger
  readonly #running = new Set<ServerResponse>()
  /** Connections without a request so far. */
  readonly #silent = new Set<Socket>()
  #isClosed = false
  #idle: (() => void)[] = []

  constructor(services: TrackerServices) {
    this.#services = services
    this.#log = services.log
  }

  connected(socket: Socket): void {
    this.#silent.add(socket)
    socket.once('close', () => this.#heard(socket))
  }

  #heard(socket: Socket): void {
    if (this.#silent.delete(socket)) this.#tellIdle()
  }

  admit(req: IncomingMessage, res: ServerResponse): void {
    const beganMs = performance.now()
    // an id costs 5 % of a view's rate: without request logs, only a failed request gets one, when

    // that is logged
    const id = this.#log.isLevelEnabled('info') ? assignRequestId(req, res, this.#services.config) : ''
    const method = req.method ?? ''
    const url = req.url ?? ''
    this.#running.add(res)
    this.#heard(req.socket)
    if (this.#isClosed) res.setHeader('connection', 'close')
    res.on('close', () => {
      leaveBody(req)
      const ms = performance.now() - beganMs
      const status = res.headersSent ? res.statusCode : CLIENT_CLOSED
      const group = this.#services.traffic.count(method, status, ms, ...this.#placeOf(url))
      const finished = { id, method, url, group, status, ms }
      if (id) this.#write(req, res, finished)
      const { maxDays, minLevel } = this.#services.settings.current.logs
      const level = status >= 400 && status !== CLIENT_CLOSED ? ERROR : DEBUG
      if (maxDays > 0 && level >= minLevel) logFinishedRequest(this.#services, req, res, finished, level)
      this.#running.delete(res)
      this.#tellIdle()
    })
  }

  /** Sets `Connection: close` on all answers from now on. */
  close(): void {
    this.#isClosed = true
    for (const res of this.#running) if (!res.headersSent) res.setHeader('connection', 'close')
  }

  /** After `close`: waits until all requests are answered, except event streams. */
  async idle(): Promise<void> {
    const late = setTimeout(() => {
      this.#silent.clear()
      this.#tellIdle()
    }, FIRST_REQUEST_MS)
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#idle.push(resolve))
    clearTimeout(late)
  }

  #isIdle(): boolean {
    const isStream = ({ req: { method = '', url = '' } }: ServerResponse) =>
      groupOf(method, ...this.#placeOf(url)) === STREAMS
    return this.#silent.size === 0 && [...this.#running].every(isStream)
  }

  #placeOf(url: string) {
    const path = pathOf(this.#services, url)
    return [path, protocolOf(this.#services, path)] as const
  }

  #tellIdle(): void {
    if (this.#idle.length > 0 && this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve()
  }

  #write(req: IncomingMessage, res: ServerResponse, { id, method, url, status, ms }: FinishedRequest): void {
    this.#log.info({
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

/** After the answer: reads the rest of a small body, and closes the connection of a large one. */
function leaveBody(req: IncomingMessage): void {
  if (req.complete) return
  if (Number(req.headers['content-length'] ?? Infinity) <= MAX_UNREAD_BYTES) return void req.resume()
  req.socket.pause().end()
  req.socket.setTimeout(HANG_UP_MS) // then endStalled closes it
}
