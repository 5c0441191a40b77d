import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getPath } from 'hono/utils/url'
import { networkOf } from '../../admission/holder.ts'
import { escapeHtml } from '../../auth/mail/mails.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { DEBUG, ERROR } from '../../logs/request-log.ts'
import { groupOf, STREAMS } from '../../metrics/traffic.ts'
import { randomText } from '../../tools/random.ts'
import type { Services } from '../context.ts'
import { addressOf, ipOf, isTrusted } from './client-ip.ts'
import { loggedPath } from './logged-url.ts'
import { CLIENT_CLOSED, type FinishedRequest, logFinishedRequest } from './request-log-line.ts'

export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

/** Requests that may wait behind another on its connection, and bytes of them all. */
const [MAX_WAITING, MAX_WAITING_BYTES] = [32, 64 << 10]
/** How long new connections of a network are closed after one had too many; networks. */
const [BAN_MS, MAX_BANS] = [2_000, 1_000]
/** Of a body that no route wanted, and for how long its client may read the answer. Go: net/http */
const [MAX_UNREAD_BYTES, HANG_UP_MS] = [256 << 10, 500]

/**
 * Handles the requests of a connection one at a time, so that at most one answer is in memory. Too many
 * waiting requests close it and ban its network briefly, unless a proxy's. RFC 9112, 9.3.2
 */
export function handleOneAtATime(server: Server, running: { handle: Handler }, config: Config): void {
  const waiting = new WeakMap<Socket, { readonly count: number; readonly bytes: number }>()
  const bannedUntilMs = new Map<string, number>()
  server.on('connection', (socket) => {
    const untilMs = bannedUntilMs.size > 0 && bannedUntilMs.get(networkOf(addressOf(socket)))
    if (untilMs && untilMs > performance.now()) socket.destroy()
  })
  server.on('request', (req, res) => {
    // Node gives an answer its connection when those before it were sent
    if (res.socket) return running.handle(req, res)
    const { socket } = req
    const { count, bytes } = waiting.get(socket) ?? { count: 0, bytes: 0 }
    const more = waitingBytes(req)
    if (count >= MAX_WAITING || bytes + more > MAX_WAITING_BYTES) {
      if (socket.destroyed) return
      if (bannedUntilMs.size >= MAX_BANS) bannedUntilMs.clear()
      bannedUntilMs.set(networkOf(addressOf(socket)), isTrusted(req, config) ? 0 : performance.now() + BAN_MS)
      return destroyWithoutTraces(socket)
    }
    waiting.set(socket, { count: count + 1, bytes: bytes + more })
    res.once('socket', () => {
      const left = waiting.get(socket)!
      waiting.set(socket, { count: left.count - 1, bytes: left.bytes - more })
      running.handle(req, res)
    })
  })
}

/** Of its head and body; of a body in chunks they are not known. */
const waitingBytes = ({ headers, rawHeaders, url = '' }: IncomingMessage): number => {
  const bytes = Number(headers['content-length'] ?? 0) + url.length + rawHeaders.join('').length
  return headers['transfer-encoding'] ? MAX_WAITING_BYTES : Math.min(bytes, MAX_WAITING_BYTES)
}

/** Closes a connection without stack traces of its requests' errors, which block for 40 ms. */
function destroyWithoutTraces(socket: Socket): void {
  const { stackTraceLimit } = Error
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit
  })
  socket.destroy()
}

/** After the answer: reads the rest of a small body, and closes the connection of a large one. */
function leaveBody(req: IncomingMessage): void {
  if (req.complete) return
  if (Number(req.headers['content-length'] ?? Infinity) <= MAX_UNREAD_BYTES) return void req.resume()
  req.socket.pause().end()
  req.socket.setTimeout(HANG_UP_MS) // then endStalled closes it
}

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE'
/** In the path, that is; the query's are dropped pair by pair. */
const BROKEN_ESCAPE = /^[^?]*%(?![0-9a-fA-F]{2})/

/**
 * Runs before the routes: CORS and security headers, preflights, clean paths. Headers set on Node's own
 * objects cost the routes nothing. Contract 8.4, 8.5.
 */
export function front(
  next: Handler,
  reception: Pick<RequestTracker, 'admit'>,
  services: Pick<Services, 'config' | 'protocols'>,
) {
  const transport = strictTransport(services.config)
  return (req: IncomingMessage, res: ServerResponse) => {
    reception.admit(req, res)
    if (BROKEN_ESCAPE.test(req.url ?? '')) return refuse(res)
    if (req.url?.includes('%00')) req.url = withoutNul(req.url)
    const path = cleanPath(req.url ?? '/')
    if (path !== undefined && !protocolOf(services, req.url ?? '')?.isNeverRedirected)
      return redirect(req, res, path)
    res.setHeader('Vary', 'Origin')
    if (req.headers.origin) res.setHeader('Access-Control-Allow-Origin', '*')
    if (req.method === 'OPTIONS') return preflight(req, res)
    res.setHeader('X-Xss-Protection', '1; mode=block')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('X-Frame-Options', 'SAMEORIGIN')
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    if (transport) res.setHeader('Strict-Transport-Security', transport)
    next(req, res)
  }
}

/** The value of Strict-Transport-Security; '' if the server's public address is not https. RFC 6797 */
export const strictTransport = ({ publicUrl, hstsDays }: Pick<Config, 'publicUrl' | 'hstsDays'>): string =>
  publicUrl.startsWith('https://') && hstsDays > 0 ? `max-age=${hstsDays * 86_400}` : ''

/** Go's server does not even look for a route. */
function refuse(res: ServerResponse) {
  res.writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  res.end('400 Bad Request')
}

function preflight(req: IncomingMessage, res: ServerResponse) {
  if (req.headers.origin) {
    res.setHeader('Vary', ['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers'])
    res.setHeader('Access-Control-Allow-Methods', METHODS)
    const asked = req.headers['access-control-request-headers']
    if (asked) res.setHeader('Access-Control-Allow-Headers', asked)
  }
  res.writeHead(204).end()
}

/** Go's server does this by itself, before anything of PocketBase's; only GET and HEAD get a page. */
function redirect({ method }: IncomingMessage, res: ServerResponse, location: string) {
  if (method !== 'GET' && method !== 'HEAD') return res.writeHead(307, { location }).end()
  res.writeHead(307, { location, 'content-type': 'text/html; charset=utf-8' })
  res.end(`<a href="${escapeHtml(location)}">Temporary Redirect</a>.\n\n`)
}

/** Replaces NUL in the path by U+FFFD: Postgres refuses NUL. */
const withoutNul = (url: string): string =>
  url.replace(/^[^?]*/, (path) => path.replaceAll('%00', '%EF%BF%BD'))

/** The path without doubled slashes and dot segments if it has any, with its query. Go: http.ServeMux */
function cleanPath(url: string): string | undefined {
  const cut = url.indexOf('?')
  const path = cut < 0 ? url : url.slice(0, cut)
  if (!path.includes('//') && !path.includes('/.')) return undefined
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') kept.pop()
    else if (part !== '' && part !== '.') kept.push(part)
  }
  const slash = path.endsWith('/') && kept.length > 0 ? '/' : ''
  // to a browser `/\evil.example` is another host
  const clean = `/${kept.join('/')}${slash}`.replaceAll('\\', '%5C')
  return clean === path ? undefined : clean + (cut < 0 ? '' : url.slice(cut))
}

type Protocols = Pick<Services, 'protocols'>

/** The path of a URL without its query, as it is routed: of other protocols in its canonical spelling. */
export function pathOf({ protocols }: Protocols, url: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  const other = protocols.find(({ pathMark }) => pathMark !== undefined && path.includes(pathMark))
  return other?.canonicalPath?.(path) ?? path
}

/** `pathOf` as Hono's router calls it. */
export const routedPath = (protocols: Services['protocols']) => (request: Request) =>
  pathOf({ protocols }, getPath(request))

/** The protocol of others that has this path; undefined for a path of our own API. */
export const protocolOf = ({ protocols }: Protocols, path: string) =>
  protocols.find(({ roots }) => roots.some((root) => path.startsWith(root) && isEnd(path[root.length])))

const isEnd = (next: string | undefined) => next === undefined || next === '/'

const REQUEST_ID = 'x-request-id'
/** The form of an id that is taken over from a proxy: it ends up in the log. */
const SANE = /^[\w.:/+=@-]{1,128}$/
/** How long a stop waits for the first request of a connection. Browsers open some that they never use. */
const FIRST_REQUEST_MS = 500

/** Ids are counted up from a start that no other process has. */
const PREFIX = `${randomText(8)}-`
let count = 0

/** The request's id in logs and answer. Only that of a trusted proxy is kept: others could be forged. */
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
  /** Connections that have not asked anything yet. */
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
    // an id costs 5 % of a view's rate: where requests are not logged, only one with a fault gets an id, when
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

  /** With the door closed: waits until all requests are answered, but for event streams. */
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
