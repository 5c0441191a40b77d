import { getPath } from 'hono/utils/url'
import type { Services } from '../request-context.ts'

/** Finds a malformed %-escape in the path. In the query, such an escape only drops its parameter. */
export const BROKEN_ESCAPE = /^[^?]*%(?![0-9a-fA-F]{2})/
/** Finds a doubled slash in the path, or a segment that begins with a dot. */
export const UNCLEAN = /^[^?]*\/[/.]/

/** Replaces NUL in the path by U+FFFD, because Postgres refuses NUL. */
export const replaceNulInPath = (url: string): string =>
  url.replace(/^[^?]*/, (path) => path.replaceAll('%00', '%EF%BF%BD'))

/** A URL without doubled slashes and dot segments in its path. Go: http.ServeMux */
export function cleanPath(url: string): string {
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
