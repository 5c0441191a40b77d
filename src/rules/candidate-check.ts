import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import { compile } from '../filter/compile/compile.ts'
import type { RequestInfo } from '../request/request.ts'
import { randomText } from '../tools/random.ts'

/** A rule on a record that is not stored yet, as SQL. `''`: it holds whatever the database says. */
export interface CandidateCheck {
  readonly condition: string
  readonly params: readonly unknown[]
}

/**
 * Asks a rule of the record that would be; undefined when it cannot hold. An id that is still to be made is a
 * passing one, nobody is verified yet. Throws FilterError for a rule that makes no sense.
 * PocketBase: apis/record_crud.go, recordCreate
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
