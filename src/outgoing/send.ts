import { lookup } from 'node:dns'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** A request that leaves the server for an address that somebody else chose. */
export interface Outgoing {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer | string | undefined
}

const TIMEOUT_MS = 10_000

/** Networks that are not the internet: this host, private, link-local, shared, multicast, reserved. IANA registries */
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
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4')
/** Of IPv6 only 2000::/3 is the internet; within it, 2002::/16 and 2001::/32 carry IPv4 addresses. */
const PUBLIC6 = new BlockList()
PUBLIC6.addSubnet('2000::', 3, 'ipv6')
const TUNNELS6 = new BlockList()
TUNNELS6.addSubnet('2002::', 16, 'ipv6')
TUNNELS6.addSubnet('2001::', 32, 'ipv6')

/** True for an address that requests must not be sent to unless the settings allow it. */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 4) return PRIVATE.check(address, 'ipv4')
  return !PUBLIC6.check(address, 'ipv6') || TUNNELS6.check(address, 'ipv6')
}

/** Resolves a name and gives the connection only addresses that were checked. */
const guardedLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '')
    const allowed = found.filter(({ address }) => !isPrivateAddress(address))
    const [first] = allowed
    if (!first) return done(privateError(host), '')
    if (options.all) done(null, allowed)
    else done(null, first.address, first.family)
  })
}

const privateError = (host: string) => new Error(`${host} is not an address of the internet`)

/**
 * Sends a request and answers its status. Follows no redirect, waits at most 10 s. Unless `allowPrivate`, only https
 * and only to the internet: the name is resolved here, and the connection goes to the address that was checked.
 */
export function sendOutgoing(outgoing: Outgoing, allowPrivate: boolean): Promise<number> {
  const url = new URL(outgoing.url)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && url.protocol !== 'https:') throw new Error(`${url.origin} is not https`)
  if (!allowPrivate && isIP(host) && isPrivateAddress(host)) throw privateError(host)
  const { method, headers, body } = outgoing
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method,
        headers: { ...headers },
        timeout: TIMEOUT_MS,
        ...(!allowPrivate && { lookup: guardedLookup }),
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    request.on('timeout', () => request.destroy(new Error(`${url.origin} did not answer in time`)))
    request.on('error', reject)
    request.end(body)
  })
}
