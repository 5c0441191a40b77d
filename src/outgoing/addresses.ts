import { BlockList, isIP } from 'node:net'

/**
 * Networks that are not the internet: this host, private, link-local, shared, multicast, reserved. IANA
 * registries
 */
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
/** Of IPv6 only 2000::/3 is the internet. */
const PUBLIC6 = new BlockList()
PUBLIC6.addSubnet('2000::', 3, 'ipv6')
/**
 * Parts of it that lead elsewhere: 6to4 and Teredo carry IPv4 addresses, the rest is for protocols and books.
 */
const NOT_PUBLIC6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_PUBLIC6.addSubnet(network, prefix, 'ipv6')

/** True for an address that requests must not be sent to unless the settings allow it. */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 4) return PRIVATE.check(address, 'ipv4')
  return !PUBLIC6.check(address, 'ipv6') || NOT_PUBLIC6.check(address, 'ipv6')
}

/** Why nothing is sent to a URL, as far as it can be told without resolving its name. */
export type UrlFault = 'not_a_url' | 'not_http' | 'not_https' | 'private'

/**
 * What is wrong with a URL that somebody else chose; undefined if nothing is. All the ways to write an IPv4
 * address (decimal, octal, short, with other digits) are one to the parser. WHATWG URL, host parsing
 */
export function urlFault(text: string, allowPrivate: boolean): UrlFault | undefined {
  const url = URL.parse(text)
  if (!url) return 'not_a_url'
  if (!/^https?:$/.test(url.protocol)) return 'not_http'
  if (allowPrivate) return undefined
  if (url.protocol !== 'https:') return 'not_https'
  const host = hostOf(url)
  return isLocalName(host) || (isIP(host) > 0 && isPrivateAddress(host)) ? 'private' : undefined
}

/** The name or address that a URL leads to, without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Names that never leave this machine, whatever a resolver says. RFC 6761, 6.3 */
const isLocalName = (host: string) => /(^|\.)localhost\.?$/i.test(host)
