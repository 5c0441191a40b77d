import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import { compile } from '../filter/compile/compile.ts'
import { FilterError } from '../filter/errors.ts'
import type { RequestInfo } from '../request/request.ts'
import { randomText } from '../tools/random.ts'

/** A rule on a record that is not stored yet, as SQL. `''`: it always holds. */
export interface CandidateCheck {
  readonly condition: string
  readonly params: readonly unknown[]
}

/** No condition. */
export const NO_CONDITION: CandidateCheck = { condition: '', params: [] }

/**
 * Compiles a rule on a new, unverified record; undefined if it is invalid or cannot hold. A missing id is a
 * temporary one. PocketBase: apis/record_crud.go, recordCreate
 */
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
