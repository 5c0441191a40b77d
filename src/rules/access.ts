import type { Catalog, Collection, RuleName } from '../collections/catalog.ts'
import { forbidden, GatewayError } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { compile } from '../filter/compile/compile.ts'
import { FilterError } from '../filter/errors.ts'
import { type AuthRecord, NO_REQUEST, type RequestInfo } from '../request/request.ts'
import { randomText } from '../tools/random.ts'
import { notAllowed } from './roles.ts'

/** The rule for a caller; '' for superusers. Throws 403 for null, 401 for a guest if `isAuthRequired`. */
export function ruleFor(
  collection: Collection,
  name: RuleName,
  auth: AuthRecord | null,
  isAuthRequired = false,
): string {
  if (auth?.isSuperuser) return ''
  if (!auth && isAuthRequired)
    throw new GatewayError(401, {
      error: 'unauthorized',
      message: 'Authentication required',
      status: 401,
      data: {},
    })
  const rule = collection[name]
  if (rule === null && auth?.limits) throw notAllowed(auth.limits)
  if (rule === null) throw forbidden('Only superusers can perform this action.')
  return rule
}

/** PocketBase's error message for an invalid rule of this collection; undefined if it is valid. */
export function checkRule(catalog: Catalog, collection: Collection, rule: string): string | undefined {
  try {
    compile(catalog, { collection, rule, filter: '', sort: '', request: NO_REQUEST })
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.message
    throw error
  }
}

/** A rule on a record that is not stored yet, as SQL; `''` if it always holds. */
export interface CandidateCheck {
  readonly condition: string
  readonly params: readonly unknown[]
}

export const NO_CONDITION: CandidateCheck = { condition: '', params: [] }

/** Compiles a rule on a new record; undefined if the rule is invalid or cannot hold. */
export function checkCandidate(
  catalog: Catalog,
  collection: Collection,
  rule: string,
  values: Readonly<Record<string, Value>>,
  request: RequestInfo,
): CandidateCheck | undefined {
  if (rule === '') return NO_CONDITION
  const candidate = { ...values }
  if (candidate.id === '') candidate.id = `__temp_id____pb_create__${randomText(6)}`
  if (collection.type === 'auth') candidate.verified = false
  try {
    const selection = { collection, rule, filter: '', sort: '', request, candidate }
    const { from, where, never, params } = compile(catalog, selection)
    return never ? undefined : { condition: where && `exists (select 1 from ${from} where ${where})`, params }
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}
