import type { Services } from '../context.ts'

type Protocols = Pick<Services, 'protocols'>

/** The path of a URL, in the spelling by which it is routed. */
export function pathOf({ protocols }: Protocols, url: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return protocols.reduce((known, { canonicalPath }) => canonicalPath?.(known) ?? known, path)
}

/** The protocol of others that has this path; undefined for a path of our own API. */
export const protocolOf = ({ protocols }: Protocols, path: string) =>
  protocols.find(({ roots }) => roots.some((root) => path.startsWith(root) && isEnd(path[root.length])))

const isEnd = (next: string | undefined) => next === undefined || next === '/'

/** The API key that an Authorization header of a protocol holds; undefined without one. */
export function keyIn({ protocols }: Protocols, authorization: string): string | undefined {
  for (const protocol of protocols) {
    const key = protocol.keyIn?.(authorization)
    if (key) return key
  }
}
