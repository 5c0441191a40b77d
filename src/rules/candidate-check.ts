import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import { compile } from '../filter/compile/compile.ts'
import type { RequestInfo } from '../request/request.ts'
import { randomText } from '../tools/random.ts'

/** A rule on a record that is not stored yet, as SQL. `''`: it always holds. */
export interface CandidateCheck {
  readonly condition: string
  readonly params: readonly unknown[]
}

/**
 * Compiles a rule on a new, unverified record; undefined if it cannot hold. A missing id is a temporary one.
 * Throws FilterError. PocketBase: apis/record_crud.go, recordCreate
 */
export function checkCandidate(
  catalog: Catalog,
  collection: Collection,
  rule: string,
  values: Readonly<Record<string, Value>>,
  request: RequestInfo,
): CandidateCheck | undefined {
  if (rule === '') return { condition: '', params: [] }
  const candidate = { ...values }
  if (candidate.id === '') candidate.id = `__temp_id____pb_create__${randomText(6)}`
  if (collection.type === 'auth') candidate.verified = false
  const { from, where, never, params } = compile(catalog, {
    collection,
    rule,
    filter: '',
    sort: '',
    request,
    candidate,
  })
  if (never) return undefined
  return { condition: where && `exists (select 1 from ${from} where ${where})`, params }
}
