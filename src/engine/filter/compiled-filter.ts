import type { Ticket } from '../../platform/limits/limit-holder.ts'
import type { Collection } from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import type { RequestInfo } from '../request/request.ts'
import type { SqlText } from './writer.ts'

export interface FilterQuery {
  readonly collection: Collection
  /** An API rule; '' allows every record. Unlike `filter`, it may use hidden fields and be of any length. */
  readonly rule: string
  readonly filter: string
  readonly sort: string
  /** The collation of texts in the sort: see `findCollation`. Default: by bytes, as in PocketBase. */
  readonly collation?: string | undefined
  readonly request: RequestInfo
  readonly ticket?: Ticket | undefined
  /** For a create rule: the record to be created, tested instead of a row of the table. */
  readonly candidate?: Readonly<Record<string, Value>>
}

/** A condition in a form that can be analyzed. `flag`: a bool column is true. `opaque`: any other SQL. */
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

/** A key of ORDER BY that is a column of the record itself and never null. */
export interface SortColumn {
  readonly column: string
  /** Absent for the tiebreak, which is the order of insertion. */
  readonly direction?: 'ASC' | 'DESC' | undefined
}

export interface QueryStructure {
  readonly condition: Predicate
  readonly columns: readonly string[]
  readonly sortKeys: readonly (SortColumn | undefined)[]
  readonly sortsByOwnField: boolean
  /** Whether the query reads no view and has no join or subquery. */
  readonly readsOneTable: boolean
  readonly tables: readonly string[]
  readonly from: SqlText
  readonly joins: string
  readonly where: SqlText
}

export interface CompiledFilter {
  /** Such as `"sms_messages" b LEFT JOIN …`. The collection's own table is always `b`. */
  readonly from: string
  readonly where: string
  /** Such as `b."created" DESC, b._rowid`, or ''. A view has no tiebreak `b._rowid`. */
  readonly orderBy: string
  readonly never: boolean
  /** Values of `$1` to `$n` in `from`, `where` and `orderBy`. The caller's own parameters begin at `$n+1`. */
  readonly params: readonly unknown[]
  /** Whether a client chose a filter or sort. A prepared plan for all values may then be slow. */
  readonly free: boolean
  readonly structure: QueryStructure
}
