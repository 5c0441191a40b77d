import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getPath } from 'hono/utils/url'
import { escapeHtml } from '../../engine/auth/mail-html.ts'
import { ApiError } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { findApi } from '../metrics/group-requests.ts'
import type { Services } from '../request-context.ts'
import type { ServedRequest } from '../served-request.ts'

export type Handler = (req: ServedRequest, res: ServerResponse) => unknown

/** Finds a malformed %-escape in the path. In the query, such an escape only drops its parameter. */
const BROKEN_ESCAPE = /^[^?]*%(?![0-9a-fA-F]{2})/
/** Finds a doubled slash in the path, or a segment that begins with a dot. */
const UNCLEAN = /^[^?]*\/[/.]/

/** Runs before the routes: CORS, security headers, preflights, redirects to clean paths. Contract 8.4, 8.5 */
export function wrapBeforeRoutes(
  next: Handler,
  tracker: { admit(req: ServedRequest, res: ServerResponse): void },
  services: Pick<Services, 'config' | 'apis'>,
) {
  const transport = makeHstsHeader(services.config)
  return (req: ServedRequest, res: ServerResponse) => {
    tracker.admit(req, res)
    if (BROKEN_ESCAPE.test(req.url ?? '')) return answerBadRequest(res)
    if (req.url?.includes('%00')) req.url = replaceNulInPath(req.url)
    if (UNCLEAN.test(req.url ?? '')) {
      const path = cleanPath(req.url!)
      if (path !== req.url && !findApi(services.apis, req.url!)?.isNeverRedirected)
        return sendRedirect(req, res, path)
    }
    allowOtherSites(req, res)
    if (req.method === 'OPTIONS') return answerPreflight(req, res)
    res.setHeader('X-Xss-Protection', '1; mode=block')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('X-Frame-Options', 'SAMEORIGIN')
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    if (transport) res.setHeader('Strict-Transport-Security', transport)
    next(req, res)
  }
}

/** The value of Strict-Transport-Security; '' if the public address is not https or HSTS is off. RFC 6797 */
export const makeHstsHeader = ({
  publicUrl,
  hstsDays,
}: Pick<Config, 'publicUrl' | 'hstsDays'>): string =>
  publicUrl.startsWith('https://') && hstsDays > 0 ? `max-age=${hstsDays * 86_400}` : ''

function answerBadRequest(res: ServerResponse) {
  res.writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  res.end('400 Bad Request')
}

/** Redirects to a cleaned URL, as Go's server does. The answer to a GET has an HTML body. */
function sendRedirect({ method }: IncomingMessage, res: ServerResponse, location: string) {
  if (method !== 'GET' && method !== 'HEAD') return res.writeHead(307, { location }).end()
  res.writeHead(307, { location, 'content-type': 'text/html; charset=utf-8' })
  res.end(`<a href="${escapeHtml(location)}">Temporary Redirect</a>.\n\n`)
}

/** Replaces NUL in the path by U+FFFD, because Postgres refuses NUL. */
const replaceNulInPath = (url: string): string =>
  url.replace(/^[^?]*/, (path) => path.replaceAll('%00', '%EF%BF%BD'))

/** The path of a URL, for routing. Paths of other products' APIs get their canonical spelling. */
export function readRoutedPath(apis: Services['apis'], url: string): string {
  const path = url.split('?', 1)[0]!
  for (const { pathMark, canonicalPath } of apis)
    if (pathMark !== undefined && canonicalPath && path.includes(pathMark))
      return canonicalPath(path)
  return path
}

export const makePathReader = (apis: Services['apis']) => (request: Request) =>
  readRoutedPath(apis, getPath(request))

/** A URL without doubled slashes and dot segments in its path. Go: http.ServeMux */
function cleanPath(url: string): string {
  const path = url.split('?', 1)[0]!
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') kept.pop()
    else if (part !== '' && part !== '.') kept.push(part)
  }
  const slash = path.endsWith('/') && kept.length > 0 ? '/' : ''
  // browsers read `/\evil.example` as another host
  return `/${kept.join('/')}${slash}`.replaceAll('\\', '%5C') + url.slice(path.length)
}

/** Answers to Node's parser errors, by error code. All other codes are answered with INVALID. */
const FAULTS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The URL and headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long.'],
}
const INVALID = [400, 'The request is not valid HTTP.'] as const

/** Answers malformed HTTP with PocketBase's error JSON and closes. If an answer has begun, only closes. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node's internal field: the connection's answer
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse }
  if (!socket.writable || error.code === 'ECONNRESET' || answer?.headersSent)
    return void socket.destroy()
  socket.end(writeRawAnswer(...(FAULTS[error.code ?? ''] ?? INVALID)))
}

/** Answers 408 and closes the connection, even if the client is still sending. */
export function answerLateBody(socket: Socket): void {
  answerClientError(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.destroySoon()
}

function writeRawAnswer(status: number, sentence: string): string {
  const { data, message } = new ApiError(status, sentence)
  const body = JSON.stringify({ data, message, status })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE'

/**
 * Lets pages of any site read the answer. They have no cookies of ours: callers send a token. Contract 8.4
 */
function allowOtherSites(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Vary', 'Origin')
  if (req.headers.origin) res.setHeader('Access-Control-Allow-Origin', '*')
}

/** Answers the request by which a browser asks what a page of another site may send. */
function answerPreflight(req: IncomingMessage, res: ServerResponse) {
  if (req.headers.origin) {
    res.setHeader('Vary', [
      'Origin',
      'Access-Control-Request-Method',
      'Access-Control-Request-Headers',
    ])
    res.setHeader('Access-Control-Allow-Methods', METHODS)
    const asked = req.headers['access-control-request-headers']
    if (asked) res.setHeader('Access-Control-Allow-Headers', asked)
  }
  res.writeHead(204).end()
}
