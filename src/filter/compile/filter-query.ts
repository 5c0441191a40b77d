import type { Ticket } from '../../admission/ticket.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Value } from '../../fields/field.ts'
import type { RequestInfo } from '../../request/request.ts'

export interface FilterQuery {
  readonly collection: Collection
  /** An API rule, '' for none. It may use hidden fields and has no limit but its number of expressions. */
  readonly rule: string
  /** A client's filter, '' for none. All limits and guards apply. Contract 1.3, 2.9. */
  readonly filter: string
  /** A client's sort, '' for none. */
  readonly sort: string
  readonly request: RequestInfo
  /** The ticket that is charged for the filter and the sort. */
  readonly ticket?: Ticket | undefined
  /** For a create rule: the record to be created, which takes the place of the table's row. */
  readonly candidate?: Readonly<Record<string, Value>>
}
