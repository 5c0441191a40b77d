import type { IncomingMessage, ServerResponse } from 'node:http'
import { escapeHtml } from '../../auth/mail/mails.ts'
import type { Config } from '../../config.ts'
import type { Services } from '../context.ts'
import type { RequestTracker } from './request-tracker.ts'
import { protocolOf } from './routed-path.ts'

export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE'
/** A broken escape in the path. Pairs of the query with one are dropped instead. */
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

/** Refuses a request before routing, as Go's server does. */
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

/** Redirects as Go's server does before routing. Only GET and HEAD get a page. */
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
  // browsers read `/\evil.example` as another host
  const clean = `/${kept.join('/')}${slash}`.replaceAll('\\', '%5C')
  return clean === path ? undefined : clean + (cut < 0 ? '' : url.slice(cut))
}
