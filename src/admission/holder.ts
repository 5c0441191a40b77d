import { isIP } from 'node:net'
import { RetryLater } from '../errors.ts'
import { counts, increment } from '../metrics/counts.ts'

declare const isHolder: unique symbol

/** Whose work limits count: an account's, or a guest's network's. Only this file makes holders. */
export type Holder = string & { readonly [isHolder]: true }

/** The holder of an account, from the ids of its collection and record. */
export const accountHolder = (collection: string, record: string): Holder =>
  `${collection} ${record}` as Holder

/** The holder of a guest: an IPv4 /24 or IPv6 /56, the networks that providers give to one customer. */
export const guestHolder = (ip: string): Holder =>
  `network ${networkOf(ip)}`.replace(/\.\d+$/, '.0/24').replace(/[\da-f]{1,2}::\/64$/, '00::/56') as Holder

const NETWORK_GROUPS = 4

/** What limits of connections and sign-ins count: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  // a URL has the address in its shortest form
  const { hostname } = new URL(`http://[${plain.split('%', 1)}]`)
  const [first, last] = hostname.split('::').map((part) => part.match(/[\da-f]+/g) ?? [])
  const zeros = Array(8 - first!.length - (last?.length ?? 0)).fill('0')
  return `${[...first!, ...zeros, ...(last ?? [])].slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/** A holder, or all together, exceeded a limit of `admission`. A batch is then refused as a whole. */
export class OverLimit extends RetryLater {}

/** The refusal: 429 if the holder used up its share, 503 if all did. `name`: of docs/security.md. */
export function overLimit(name: string, isOwn: boolean, seconds: number): OverLimit {
  increment(counts.overLimits, name)
  const whose = isOwn ? 'your share' : "the server's share"
  return new OverLimit(isOwn ? 429 : 503, Math.max(1, Math.ceil(seconds)), `${whose} of ${name} is used up`)
}

/** The holder who is charged for work: docs/internals/bounds.md lists which statements need one. */
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

/** Names for work for everybody or for the server itself. Each takes turns as a holder does. */
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
