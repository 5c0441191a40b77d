import type { IncomingMessage, ServerResponse } from 'node:http'
import { escapeHtml } from '../../engine/auth/mail-html.ts'
import type { Config } from '../../platform/config.ts'
import { findApi } from '../metrics/group-requests.ts'
import type { Services } from '../request-context.ts'
import type { ServedRequest } from '../served-request.ts'
import { BROKEN_ESCAPE, cleanPath, replaceNulInPath, UNCLEAN } from './clean-paths.ts'

export type Handler = (req: ServedRequest, res: ServerResponse) => unknown

/** Headers of answers that scripts of other origins may read, beside those that always may. Fetch, 2.2.2 */
const READABLE = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Date',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Total-Count',
].join(', ')

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
    // pages of any site may read the answer: they have no cookies of ours, callers send a token
    res.setHeader('Vary', 'Origin')
    if (req.headers.origin) {
      res.setHeader('Access-Control-Allow-Origin', '*')
      res.setHeader('Access-Control-Expose-Headers', READABLE)
    }
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

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE'

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
