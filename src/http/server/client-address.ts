import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { SettingsStore } from '../../engine/settings/settings-store.ts'
import type { Config } from '../../platform/config.ts'
import { isIpListed } from '../../platform/tools/ip-lists.ts'

/** Which proxies and headers the server trusts. */
export interface TrustServices {
  readonly settings: SettingsStore
  readonly config: Config
}

/**
 * The client's address, from a trusted header, a trusted proxy's X-Forwarded-For or the socket. Contract 8.5
 */
export function readClientIp(
  incoming: IncomingMessage,
  { settings, config }: TrustServices,
): string {
  const { headers, useLeftmostIP } = settings.current.trustedProxy
  for (const header of headers) {
    const found = readAddresses(incoming, header)
    const ip = useLeftmostIP ? found[0] : found.at(-1)
    if (ip) return ip
  }
  const peer = readPeerAddress(incoming)
  if (!isTrustedProxy(incoming, config)) return peer
  return findFarthestHop(
    incoming.headersDistinct['x-forwarded-for'] ?? [],
    config.trustedProxies,
    peer,
  )
}

/**
 * Skips trusted proxies at the end of a forwarding header. The address before them is the client's, as far as
 * known; all before that may be forged.
 */
function findFarthestHop(
  values: readonly string[],
  proxies: readonly string[],
  peer: string,
): string {
  let last = peer
  for (const hop of values.flatMap((value) => value.split(',')).reverse()) {
    const ip = toPlainIp(dropPort(hop.trim()))
    if (isIP(ip) === 0) return last
    if (!isIpListed(proxies, ip)) return ip
    last = ip
  }
  return last
}

/** Removes the port that some proxies add: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const dropPort = (hop: string) =>
  /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop)?.slice(1).find(Boolean) ?? hop

export const isTrustedProxy = (incoming: IncomingMessage, { trustedProxies }: Config): boolean =>
  trustedProxies.length > 0 && isIpListed(trustedProxies, readPeerAddress(incoming))

const readPeerAddress = ({ socket }: IncomingMessage) => readSocketAddress(socket)

/** The address of a connection's other end, a client or a proxy; '' once it is closed. */
export const readSocketAddress = (socket: Socket | null): string =>
  toPlainIp(socket?.remoteAddress ?? '')

function readAddresses({ headersDistinct }: IncomingMessage, header: string): string[] {
  const value = headersDistinct[header.toLowerCase()]?.at(-1) ?? ''
  return value
    .split(',')
    .map((part) => toPlainIp(part.trim()))
    .filter((part) => isIP(part) > 0)
}

/** Turns an IPv4 address in IPv6 form, `::ffff:203.0.113.7`, into plain IPv4. */
const toPlainIp = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '')
