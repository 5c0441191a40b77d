import { lookup, Resolver } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress } from './addresses.ts'

const TIMEOUT_MS = 2_500
const TRIES = 2

/** Queries name servers directly, without getaddrinfo's threads, which a few dead names would occupy. */
export type Resolve = Pick<Resolver, 'resolve4' | 'resolve6'>
const nameServers: Resolve = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })

interface Found {
  readonly address: string
  readonly family: number
}

/** Addresses of a name in both families. Throws the name server's error if there are none. */
async function addressesOf(host: string, resolve: Resolve): Promise<Found[]> {
  const ask = (family: 4 | 6) =>
    new Promise<Found[]>((done, fail) => {
      const method = family === 4 ? 'resolve4' : 'resolve6'
      resolve[method](host, (error, addresses) =>
        error ? fail(error) : done(addresses.map((address) => ({ address, family }))),
      )
    })
  const [four, six] = await Promise.allSettled([ask(4), ask(6)])
  const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0 && four.status === 'rejected') throw four.reason
  return found
}

export const privateError = (host: string) => new Error(`${host} is not an address of the internet`)

/** Resolves a name to checked addresses only, so that a later change of it has no effect. */
export const publicOnlyLookup =
  (resolve: Resolve = nameServers): LookupFunction =>
  (host, options, done) => {
    if (isIP(host) > 0) return done(privateError(host), '') // an address is never looked up
    addressesOf(host, resolve).then(
      (found) => {
        const allowed = found.filter(({ address }) => !isPrivateAddress(address))
        const [first] = allowed
        if (!first) done(privateError(host), '')
        else if (options.all) done(null, allowed)
        else done(null, first.address, first.family)
      },
      (error: Error) => done(error, ''),
    )
  }

/** Resolves a name as the system does, including the hosts file: used where private addresses are allowed. */
export const systemLookup: LookupFunction = (host, options, done) => lookup(host, options, done)
