import { isIP } from 'node:net'
import { RetryLater } from '../errors.ts'
import { counts, increment } from '../metrics/counts.ts'

declare const isHolder: unique symbol

/** Who is limited: an account, or the network of a guest. Only this file makes holders. */
export type Holder = string & { readonly [isHolder]: true }

export const accountHolder = (collection: string, record: string): Holder =>
  `${collection} ${record}` as Holder

/** The holder of a guest: its IPv4 /24 or IPv6 /56 network, which may belong to one customer. */
export const guestHolder = (ip: string): Holder =>
  `network ${networkOf(ip)}`.replace(/\.\d+$/, '.0/24').replace(/[\da-f]{1,2}::\/64$/, '00::/56') as Holder

const NETWORK_GROUPS = 4

/** What limits on connections and sign-ins count: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  // the URL parser writes an IPv6 address in its shortest form
  const { hostname } = new URL(`http://[${plain.split('%', 1)}]`)
  const [first, last] = hostname.split('::').map((part) => part.match(/[\da-f]+/g) ?? [])
  const zeros = Array(8 - first!.length - (last?.length ?? 0)).fill('0')
  return `${[...first!, ...zeros, ...(last ?? [])].slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/** One holder, or all together, exceeded a limit of `admission`. A batch is then refused as a whole. */
export class OverLimit extends RetryLater {}

/** Counts and returns a refusal: 429 if the holder used up its share, else 503. `name`: docs/security.md. */
export function overLimit(name: string, isOwn: boolean, seconds: number): OverLimit {
  increment(counts.overLimits, name)
  const whose = isOwn ? 'your share' : "the server's share"
  return new OverLimit(isOwn ? 429 : 503, Math.max(1, Math.ceil(seconds)), `${whose} of ${name} is used up`)
}

/** Whom to charge for a statement. docs/internals/bounds.md lists which statements need a ticket. */
export interface Ticket {
  readonly holder: Holder
  /** Superusers' statements have the general time limit, not that of clients. */
  readonly isSuperuser: boolean
  isGone(): boolean
}

/** A ticket for work that no request waits for. */
export const ticketOf = (holder: Holder, isSuperuser = false): Ticket => ({
  holder,
  isSuperuser,
  isGone: () => false,
})

/** Names that take turns as holders do, for work of the server itself or for everybody. */
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
  | 'metrics'
  | 'test'
