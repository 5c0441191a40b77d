import { isIP } from 'node:net'

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
