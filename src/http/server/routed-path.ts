import { getPath } from 'hono/utils/url'
import type { Services } from '../context.ts'

type Protocols = Pick<Services, 'protocols'>

/** A URL's path without query, for routing. Paths of other protocols get their canonical spelling. */
export function pathOf({ protocols }: Protocols, url: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  const other = protocols.find(({ pathMark }) => pathMark !== undefined && path.includes(pathMark))
  return other?.canonicalPath?.(path) ?? path
}

/** `pathOf` as Hono's router calls it. */
export const routedPath = (protocols: Services['protocols']) => (request: Request) =>
  pathOf({ protocols }, getPath(request))

/** The protocol of this path; undefined for a path of our own API. */
export const protocolOf = ({ protocols }: Protocols, path: string) =>
  protocols.find(({ roots }) => roots.some((root) => path.startsWith(root) && isEnd(path[root.length])))

const isEnd = (next: string | undefined) => next === undefined || next === '/'
