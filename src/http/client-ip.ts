import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isListed } from '../auth/addresses.ts'
import type { Ctx, Services } from './context.ts'

/**
 * The client's address: out of the first header that the settings trust and the request has, else out of
 * X-Forwarded-For if the connection comes from one of TRUSTED_PROXIES, else the connection's own. Contract 8.5
 */
export function clientIp(c: Ctx, { settings, config }: Services): string {
  const { incoming } = c.env
  const { headers, useLeftmostIP } = settings.current.trustedProxy
  for (const header of headers) {
    const found = addresses(incoming, header)
    const ip = useLeftmostIP ? found[0] : found.at(-1)
    if (ip) return ip
  }
  const peer = plain(incoming.socket.remoteAddress ?? '')
  if (!isListed(config.trustedProxies, peer)) return peer
  return addresses(incoming, 'x-forwarded-for').findLast((ip) => !isListed(config.trustedProxies, ip)) ?? peer
}

/** The addresses in the last value of a header: that one was set by the proxy. */
function addresses({ headersDistinct }: IncomingMessage, header: string): string[] {
  const value = headersDistinct[header.toLowerCase()]?.at(-1) ?? ''
  return value
    .split(',')
    .map((part) => plain(part.trim()))
    .filter((part) => isIP(part) > 0)
}

/** An IPv4 address that came over IPv6 is an IPv4 address. */
const plain = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '')
