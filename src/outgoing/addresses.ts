import { BlockList, isIP } from 'node:net'

/** Networks outside the internet. IANA registries */
const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4')
/** IPv6 addresses of the internet: 2000::/3. */
const PUBLIC6 = new BlockList()
PUBLIC6.addSubnet('2000::', 3, 'ipv6')
/** Exceptions in it: 6to4 and Teredo carry IPv4 addresses, others are for protocols and documentation. */
const NOT_PUBLIC6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_PUBLIC6.addSubnet(network, prefix, 'ipv6')

/** Whether requests to this address need permission by the settings. */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 4) return PRIVATE.check(address, 'ipv4')
  return !PUBLIC6.check(address, 'ipv6') || NOT_PUBLIC6.check(address, 'ipv6')
}

/** Why a URL is refused, without resolving its name. */
export type UrlFault = 'not_a_url' | 'not_http' | 'not_https' | 'private'

/** The fault of a URL from a client; undefined if valid. All spellings of IPv4 are normalized. WHATWG URL */
export function urlFault(text: string, allowPrivate: boolean): UrlFault | undefined {
  const url = URL.parse(text)
  if (!url) return 'not_a_url'
  if (!/^https?:$/.test(url.protocol)) return 'not_http'
  if (allowPrivate) return undefined
  if (url.protocol !== 'https:') return 'not_https'
  const host = hostOf(url)
  return isLocalName(host) || (isIP(host) > 0 && isPrivateAddress(host)) ? 'private' : undefined
}

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Names of this machine, whatever a resolver says. RFC 6761, 6.3 */
const isLocalName = (host: string) => /(^|\.)localhost\.?$/i.test(host)
