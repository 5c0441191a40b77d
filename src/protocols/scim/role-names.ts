import type { Role } from '../../engine/request/request.ts'

const WORDS: Readonly<Record<string, Role>> = {
  admin: 'admin',
  admins: 'admin',
  agent: 'agent',
  agents: 'agent',
  viewer: 'viewer',
  viewers: 'viewer',
}
const HIGHEST_FIRST: readonly Role[] = ['admin', 'agent', 'viewer']
const PRODUCTS: ReadonlySet<string> = new Set(['pocketsms', 'sms'])

/**
 * The role that a group or role of a directory is named for: `agent`, `SMS agents`, `acme-pocketsms-admin`.
 * Others give none: `Domain admins` are no admins here.
 */
export function readRoleName(name: string): Role | undefined {
  const words = name.toLowerCase().split(/[^a-z0-9]+/)
  const [product, last] = words.slice(-2).length === 2 ? words.slice(-2) : [undefined, words[0]]
  if (product !== undefined && !PRODUCTS.has(product)) return undefined
  return Object.hasOwn(WORDS, last!) ? WORDS[last!] : undefined
}

/** The highest role of these names; undefined if they give none. */
export function findHighestRole(names: readonly string[]): Role | undefined {
  const given = new Set(names.map(readRoleName))
  return HIGHEST_FIRST.find((role) => given.has(role))
}
