import type { Ticket } from '../../admission/holder.ts'
import type { Collection } from '../../collections/catalog.ts'
import type { Value } from '../../fields/field.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { SqlText } from '../sql/sql.ts'

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

/** A condition's tests of the record's own columns. `flag`: a bool that must be true. `opaque`: unknown. */
export type Predicate =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Predicate[] }
  | { readonly kind: 'flag'; readonly column: string }
  | {
      readonly kind: 'comparison'
      readonly column: string
      /** `=`, `<>`, `>=`, or another operator of Postgres. */
      readonly sign: string
      /** A parameter by its index from 0, or the empty text. */
      readonly value: { readonly index: number; readonly cast: string } | ''
    }
  | { readonly kind: 'opaque' }

/** A key of an ORDER BY that is a non-null column of the record. */
export interface SortColumn {
  readonly column: string
  /** Absent: the order of insertion, as tiebreak. */
  readonly direction?: 'ASC' | 'DESC' | undefined
}

/** The structure of a compiled filter, for code that chooses a plan or rewrites it. */
export interface QueryStructure {
  readonly condition: Predicate
  readonly columns: readonly string[]
  /** Undefined for keys that are expressions or nullable columns. */
  readonly sortKeys: readonly (SortColumn | undefined)[]
  /** The client sorts by at most one field of the record itself. */
  readonly sortsByOwnField: boolean
  /** No view, no join, no subquery. */
  readonly readsOneTable: boolean
  readonly tables: readonly string[]
  readonly from: SqlText
  /** Joins after the base in FROM; '' for none. */
  readonly joins: string
  readonly where: SqlText
}

export interface CompiledFilter {
  /** `"sms_messages" b LEFT JOIN …`: the base's alias is always `b`. */
  readonly from: string
  /** '' for always true. */
  readonly where: string
  /** '' or `b."created" DESC, b._rowid`; a view has no tiebreak. */
  readonly orderBy: string
  /** Nothing can match: no statement is needed. */
  readonly never: boolean
  /** `$1` to `$n` of the three texts together; the caller's parameters follow. */
  readonly params: readonly unknown[]
  /** Contains client input, so the generic plan of a named statement would be bad. */
  readonly free: boolean
  readonly structure: QueryStructure
}
