import { isRoleEnough } from '../../engine/records/check-rules.ts'
import type { Role } from '../../engine/request/request.ts'
import { isObject } from '../../platform/tools/json.ts'

export type Claims = Readonly<Record<string, unknown>>

export interface RoleRow {
  readonly user: string
  readonly claim: string
  readonly value: string
  readonly role: Role
}

/**
 * The value at a path of names, joined by dots; undefined if there is none. Names may have dots themselves,
 * as `https://example.com/roles` at Auth0: the longest name that exists counts.
 */
export function readClaim(claims: unknown, path: string): unknown {
  if (!isObject(claims)) return undefined
  if (Object.hasOwn(claims, path)) return claims[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    if (Object.hasOwn(claims, name)) return readClaim(claims[name], path.slice(dot + 1))
  }
  return undefined
}

/** Whether a claim is the value, has it in its list, or, as ZITADEL's roles, has it as a key. */
function hasValue(claim: unknown, value: string): boolean {
  if (Array.isArray(claim)) return claim.some((one) => !isObject(one) && hasValue(one, value))
  if (isObject(claim)) return Object.hasOwn(claim, value)
  return ['string', 'boolean', 'number'].includes(typeof claim) && String(claim) === value
}

/**
 * Whether the provider has left a claim out because it is too long. Entra ID then names it in `_claim_names`
 * or says `hasgroups`, for people in more than 200 groups.
 */
function isLeftOut(claims: Claims, path: string): boolean {
  const isNamed =
    isObject(claims._claim_names) && readClaim(claims._claim_names, path) !== undefined
  return isNamed || (path === 'groups' && String(claims.hasgroups) === 'true')
}

/**
 * The role of a person in each account of the rows: null for none, undefined if it cannot be known. Of
 * several rows that apply, the one with the most rights counts.
 */
export function findRoles(
  rows: readonly RoleRow[],
  claims: Claims,
): ReadonlyMap<string, Role | null | undefined> {
  const roles = new Map<string, Role | null | undefined>()
  for (const { user: account, claim, value, role } of rows) {
    const known = roles.get(account)
    if (roles.has(account) && known === undefined) continue
    if (isLeftOut(claims, claim)) roles.set(account, undefined)
    else if (!hasValue(readClaim(claims, claim), value)) roles.set(account, known ?? null)
    else if (!known || isRoleEnough(role, known)) roles.set(account, role)
  }
  return roles
}
