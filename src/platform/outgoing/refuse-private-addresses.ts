import { type LookupAddress, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'

type Network = readonly [network: string, prefix: number]

function makeBlockList(family: 'ipv4' | 'ipv6', networks: readonly Network[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}

/** IPv4 networks outside the public internet. IANA registries */
const PRIVATE = makeBlockList('ipv4', [
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
])
const PUBLIC6 = makeBlockList('ipv6', [['2000::', 3]])
/** Networks in 2000::/3 that are not public: 6to4 and Teredo, which carry IPv4, and reserved ones. */
const NOT_PUBLIC6 = makeBlockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

/** Whether an address is not public. Requests to it need `allowPrivate`. */
function isPrivateAddress(address: string) {
  if (isIP(address) === 4) return PRIVATE.check(address, 'ipv4')
  return !PUBLIC6.check(address, 'ipv6') || NOT_PUBLIC6.check(address, 'ipv6')
}

/** Why a URL is refused before its host name is resolved. */
export type UrlFault = 'not_a_url' | 'not_http' | 'not_https' | 'private'

/** Why a client's URL is refused; undefined if allowed. `URL` normalizes all spellings of IPv4. WHATWG URL */
export function findUrlFault(text: string, allowPrivate: boolean): UrlFault | undefined {
  if (!URL.canParse(text)) return 'not_a_url'
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) return 'not_http'
  if (allowPrivate) return undefined
  if (url.protocol !== 'https:') return 'not_https'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isLocalName(host) || (isIP(host) > 0 && isPrivateAddress(host)) ? 'private' : undefined
}

const URL_FAULTS: Readonly<Record<UrlFault, string>> = {
  not_a_url: 'is not an address',
  not_http: 'is neither http nor https',
  not_https: 'is not https',
  private: 'is not an address of the internet',
}

/** Whether a name always means this machine, whatever DNS says. RFC 6761, 6.3 */
const isLocalName = (host: string) => /(^|\.)localhost\.?$/i.test(host)

const LOOK_UP_MS = 2_500
const TRIES = 2

/** Asks name servers directly: in getaddrinfo, a few dead names would occupy all of Node's threads. */
export type Resolve = Pick<Resolver, 'resolve4' | 'resolve6'>
const nameServers: Resolve = new Resolver({ timeout: LOOK_UP_MS, tries: TRIES })

/** The IPv4 and IPv6 addresses of a name. Throws the name server's error if there are none. */
async function resolveAddresses(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolve.resolve4(host), resolve.resolve6(host)])
  const found = [four, six].flatMap((answer, i) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: i === 0 ? 4 : 6 }))
      : [],
  )
  if (found.length === 0 && four.status === 'rejected') throw four.reason
  return found
}

/** The error for an address to which no request is ever sent. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'
  constructor(host: string, fault: UrlFault) {
    super(`${host} ${URL_FAULTS[fault]}`)
  }
}

/** Throws AddressRefused for a URL that `findUrlFault` refuses. */
export function refuseAddress(url: string, allowPrivate: boolean): void {
  const fault = findUrlFault(url, allowPrivate)
  if (fault) throw new AddressRefused((URL.canParse(url) && new URL(url).host) || url, fault)
}

/** Resolves a name to public addresses only. The connection uses them, whatever DNS answers later. */
export const makePublicLookup =
  (resolve: Resolve = nameServers): LookupFunction =>
  (host, options, done) => {
    if (isIP(host) > 0) return done(new AddressRefused(host, 'private'), '') // an address is never looked up
    resolveAddresses(host, resolve).then(
      (found) => {
        const allowed = found.filter(({ address }) => !isPrivateAddress(address))
        const [first] = allowed
        if (!first) done(new AddressRefused(host, 'private'), '')
        else if (options.all) done(null, allowed)
        else done(null, first.address, first.family)
      },
      (error: Error) => done(error, ''),
    )
  }

/** Resolves a name as the system does, including the hosts file: used where private addresses are allowed. */
export const lookUpHost: LookupFunction = (host, options, done) => lookup(host, options, done)
