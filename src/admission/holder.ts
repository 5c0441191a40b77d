import { isIP } from 'node:net'
import { RetryLater } from '../errors.ts'
import { counts, increment } from '../metrics/counts.ts'

declare const isHolder: unique symbol

/** Limits count work by holder: an account, or a guest's network. Only this file makes holders. */
export type Holder = string & { readonly [isHolder]: true }

/** An account, by the ids of its collection and record. */
export const accountHolder = (collection: string, record: string): Holder =>
  `${collection} ${record}` as Holder

/** A guest's network, as large as a provider gives to one customer: an IPv4 /24, an IPv6 /56. */
export const guestHolder = (ip: string): Holder =>
  `network ${networkOf(ip)}`.replace(/\.\d+$/, '.0/24').replace(/[\da-f]{1,2}::\/64$/, '00::/56') as Holder

/** 16-bit groups of an IPv6 network prefix. A network's owner has all its addresses. */
const NETWORK_GROUPS = 4

/** The /64 of an IPv6 address, otherwise the address. Limits of connections and sign-ins count these. */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.split('%', 1)[0]!.toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length - (tail.includes('.') ? 1 : 0)
  const groups = [...first, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last]
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** A holder, or all together, exceeded a limit of this room. It refuses a whole batch. */
export class OverLimit extends RetryLater {}

/**
 * The answer to work over a limit: 429 when the holder used up its own share, 503 when all holders together
 * use up the server's. `name` is the limit as docs/security.md names it.
 */
export function overLimit(name: string, isOwn: boolean, seconds: number): OverLimit {
  increment(counts.overLimits, name)
  const whose = isOwn ? 'your share' : "the server's share"
  return new OverLimit(isOwn ? 429 : 503, Math.max(1, Math.ceil(seconds)), `${whose} of ${name} is used up`)
}

/**
 * The holder on whose account work is done. Statements that a client shaped (a filter, a sort, an expand, a
 * view), or that take longer the more data an account has, need one: docs/internals/bounds.md lists them.
 */
export interface Ticket {
  readonly holder: Holder
  /** Statements of superusers may run as long as any other. */
  readonly isSuperuser: boolean
  isGone(): boolean
}

/** The ticket of work that no request waits for. */
export const ticketOf = (holder: Holder, isSuperuser = false): Ticket => ({
  holder,
  isSuperuser,
  isGone: () => false,
})

/** Work for everybody, or for the server itself. Each name takes turns as a holder does. */
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
