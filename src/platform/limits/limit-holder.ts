import { isIP } from 'node:net'
import { RetryLater } from '../api-errors.ts'
import { counts, incrementCount } from '../tools/process-counters.ts'

declare const isHolder: unique symbol

/** The unit that limits count by: an account, or the network of a guest. Only this file makes holders. */
export type Holder = string & { readonly [isHolder]: true }

export const makeAccountHolder = (collection: string, record: string): Holder =>
  `${collection} ${record}` as Holder

/** The holder of a guest: its IPv4 /24 or IPv6 /56 network, as one customer may have all its addresses. */
export const makeGuestHolder = (ip: string): Holder =>
  `network ${toNetwork(ip)}`
    .replace(/\.\d+$/, '.0/24')
    .replace(/[\da-f]{1,2}::\/64$/, '00::/56') as Holder

const NETWORK_GROUPS = 4

/** The network by which connections and sign-ins are counted: an IPv4 address, or an IPv6 /64 network. */
export function toNetwork(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  // the URL parser writes an IPv6 address in its shortest form
  const { hostname } = new URL(`http://[${plain.split('%', 1)}]`)
  const [first, last] = hostname.split('::').map((part) => part.match(/[\da-f]+/g) ?? [])
  const zeros = Array(8 - first!.length - (last?.length ?? 0)).fill('0')
  return `${[...first!, ...zeros, ...(last ?? [])].slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/** One holder, or all holders together, exceeded a limit of `admission`. Makes a batch fail as a whole. */
export class OverLimit extends RetryLater {}

/**
 * Returns the error for a used-up limit and counts it in the metrics: 429 if the holder's own share (`isOwn`)
 * is used up, else 503. docs/internals/client-limits.md lists the values of `name`.
 */
export function makeOverLimit(name: string, isOwn: boolean, seconds: number): OverLimit {
  incrementCount(counts.overLimits, name)
  const whose = isOwn ? 'your share' : "the server's share"
  return new OverLimit(
    isOwn ? 429 : 503,
    Math.max(1, Math.ceil(seconds)),
    `${whose} of ${name} is used up`,
  )
}

/** Whom to charge for a database statement. docs/internals/bounds.md lists which statements need a ticket. */
export interface Ticket {
  readonly holder: Holder
  /** Statements of superusers have the server's time limit, all others the limit for clients. */
  readonly isSuperuser: boolean
  isGone(): boolean
}

/** A `Ticket` for work that belongs to no request, so no client can hang up. */
export const makeServerTicket = (holder: Holder, isSuperuser = false): Ticket => ({
  holder,
  isSuperuser,
  isGone: () => false,
})

/** Names that take turns like holders, for work of the server itself or for all accounts together. */
export type Everybody =
  | 'sign-in'
  | 'collections'
  | 'server'
  | 'command'
  | 'jobs'
  | 'sweep'
  | 'sends'
  | 'groups'
  | 'realtime'
  | 'webhooks'
  | 'carriers'
  | 'metrics'
  | 'test'
