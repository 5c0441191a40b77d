import type { Collection } from '../../collections/collection.ts'
import type { Value } from '../../fields/field.ts'
import type { RequestInfo } from '../../request/request.ts'

/** What is asked of a collection. */
export interface FilterQuery {
  readonly collection: Collection
  /** An API rule, '' for none: may use hidden fields, no limit but that of its expressions. */
  readonly rule: string
  /** A client's filter, '' for none: all limits and guards. Contract 1.3, 2.9. */
  readonly filter: string
  /** A client's sort, '' for none. */
  readonly sort: string
  readonly request: RequestInfo
  /** For a create rule: the record that would be. The rule speaks of it instead of the table. */
  readonly candidate?: Readonly<Record<string, Value>>
}
