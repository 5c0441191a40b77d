import type { Ticket } from '../admission/holder.ts'
import type { Collection } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import type { RequestInfo } from '../request/request.ts'
import type { SqlText } from './sql.ts'

export interface FilterQuery {
  readonly collection: Collection
  /** An API rule; '' lets every record through. Hidden fields are allowed; only expressions are limited. */
  readonly rule: string
  readonly filter: string
  readonly sort: string
  readonly request: RequestInfo
  readonly ticket?: Ticket | undefined
  /** For a create rule: the record to be created, tested instead of a row of the table. */
  readonly candidate?: Readonly<Record<string, Value>>
}

/** A condition on the record's columns. `flag`: a true bool. `opaque`: a part that is not analyzed. */
export type Predicate =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Predicate[] }
  | { readonly kind: 'flag'; readonly column: string }
  | {
      readonly kind: 'comparison'
      readonly column: string
      readonly sign: string
      readonly value: { readonly index: number; readonly cast: string } | ''
    }
  | { readonly kind: 'opaque' }

/** A key of ORDER BY that is a column of the record without nulls. */
export interface SortColumn {
  readonly column: string
  /** Absent for the tiebreak, which is the order of insertion. */
  readonly direction?: 'ASC' | 'DESC' | undefined
}

/** The structure of a compiled filter, for code that chooses or rewrites a statement. */
export interface QueryStructure {
  readonly condition: Predicate
  readonly columns: readonly string[]
  readonly sortKeys: readonly (SortColumn | undefined)[]
  readonly sortsByOwnField: boolean
  /** Whether it reads no view and has no join or subquery. */
  readonly readsOneTable: boolean
  readonly tables: readonly string[]
  readonly from: SqlText
  readonly joins: string
  readonly where: SqlText
}

export interface CompiledFilter {
  /** `"sms_messages" b LEFT JOIN …`: the base's alias is always `b`. */
  readonly from: string
  readonly where: string
  /** '' or `b."created" DESC, b._rowid`; a view has no tiebreak. */
  readonly orderBy: string
  readonly never: boolean
  /** Values of `$1` to `$n` in `from`, `where` and `orderBy`; the caller's parameters follow. */
  readonly params: readonly unknown[]
  /** Whether it contains a client's filter: the generic plan of a named statement would then be bad. */
  readonly free: boolean
  readonly structure: QueryStructure
}
