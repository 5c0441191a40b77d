import type { IncomingMessage, ServerResponse } from 'node:http'

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE'

/**
 * Lets pages of any site read the answer. They have no cookies of ours: callers send a token. Contract 8.4
 */
export function allowOtherSites(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Vary', 'Origin')
  if (req.headers.origin) res.setHeader('Access-Control-Allow-Origin', '*')
}

/** Answers the request by which a browser asks what a page of another site may send. */
export function answerPreflight(req: IncomingMessage, res: ServerResponse) {
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
