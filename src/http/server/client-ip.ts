import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { isListed } from '../../auth/sign-in.ts'
import type { Ctx, Services } from '../context.ts'

type Trust = Pick<Services, 'settings' | 'config'>

/** The client's address: a trusted header, a trusted proxy's X-Forwarded-For, or the socket. Contract 8.5 */
export const clientIp = (c: Ctx, services: Trust): string => ipOf(c.env.incoming, services)

/** The client's address of a Node request. Contract 8.5 */
export function ipOf(incoming: IncomingMessage, { settings, config }: Trust): string {
  const { headers, useLeftmostIP } = settings.current.trustedProxy
  for (const header of headers) {
    const found = addresses(incoming, header)
    const ip = useLeftmostIP ? found[0] : found.at(-1)
    if (ip) return ip
  }
  const peer = peerOf(incoming)
  if (!isTrusted(incoming, config)) return peer
  return farthest(incoming.headersDistinct['x-forwarded-for'] ?? [], config.trustedProxies, peer)
}

/** The first address from the right that is not a trusted proxy. Anything left of it may be forged. */
function farthest(values: readonly string[], proxies: readonly string[], peer: string): string {
  let last = peer
  for (const hop of values.flatMap((value) => value.split(',')).reverse()) {
    const ip = plain(withoutPort(hop.trim()))
    if (isIP(ip) === 0) return last
    if (!isListed(proxies, ip)) return ip
    last = ip
  }
  return last
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const withoutPort = (hop: string) =>
  /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop)?.slice(1).find(Boolean) ?? hop

export const isTrusted = (incoming: IncomingMessage, { trustedProxies }: Trust['config']): boolean =>
  trustedProxies.length > 0 && isListed(trustedProxies, peerOf(incoming))

const peerOf = ({ socket }: IncomingMessage) => addressOf(socket)

/** The remote address of a connection, of a client or proxy; '' once it is closed. */
export const addressOf = (socket: Socket | null): string => plain(socket?.remoteAddress ?? '')

function addresses({ headersDistinct }: IncomingMessage, header: string): string[] {
  const value = headersDistinct[header.toLowerCase()]?.at(-1) ?? ''
  return value
    .split(',')
    .map((part) => plain(part.trim()))
    .filter((part) => isIP(part) > 0)
}

/** An IPv4 address that came over IPv6 is an IPv4 address. */
const plain = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '')
