import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'

/** A page that clients cache and revalidate at each use. RFC 9110, 8.8.3 */
export interface Tagged {
  /** One buffer for all clients: a slow reader holds no copy. */
  readonly body: Buffer<ArrayBuffer>
  readonly etag: string
}

export function tagged(content: string | Buffer<ArrayBuffer>): Tagged {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  const hash = createHash('sha256').update(body).digest('base64url')
  return { body, etag: `"${hash.slice(0, 22)}"` }
}

/** Sends a page, or 304 if the client has this version. */
export function sendTagged(c: Ctx, { body, etag }: Tagged, headers: Record<string, string>): Response {
  const known = c.req.header('if-none-match')?.includes(etag)
  return known ? c.body(null, 304, { ...headers, etag }) : c.body(body, 200, { ...headers, etag })
}
