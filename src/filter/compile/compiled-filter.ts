import type { SqlText } from '../sql/sql.ts'

/**
 * What a condition says of the record itself. `flag`: a bool that has to be true. `opaque`: what only the
 * database can tell.
 */
export type Predicate =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Predicate[] }
  | { readonly kind: 'flag'; readonly column: string }
  | {
      readonly kind: 'comparison'
      readonly column: string
      /** `=`, `<>`, `>=`, or another operator of Postgres. */
      readonly sign: string
      /** A parameter, by its place from 0, or the empty text. */
      readonly value: { readonly index: number; readonly cast: string } | ''
    }
  | { readonly kind: 'opaque' }

/** A key of an ORDER BY that is a column of the record, which is never NULL. */
export interface SortColumn {
  readonly column: string
  /** None: the order of insertion, as the tiebreak. */
  readonly direction?: 'ASC' | 'DESC' | undefined
}

/** What a compiled question consists of, for whoever chooses a plan for it or rewrites it. */
export interface QueryStructure {
  readonly condition: Predicate
  /** The columns of the record that the condition reads. */
  readonly columns: readonly string[]
  /** Undefined for each key that is an expression, or a column that may be NULL. */
  readonly sortKeys: readonly (SortColumn | undefined)[]
  /** The client sorts by no more than one field of the record itself. */
  readonly sortsByOwnField: boolean
  /** The collection is no view, and there is neither a join nor a subquery. */
  readonly readsOneTable: boolean
  /** The tables that it reads. */
  readonly tables: readonly string[]
  readonly from: SqlText
  /** What stands in `from` behind the base; '' for none. */
  readonly joins: string
  readonly where: SqlText
}

/** A question as parts of a statement. */
export interface CompiledFilter {
  /** `"sms_messages" b LEFT JOIN …`: the base's alias is always `b`. */
  readonly from: string
  /** '' is always true. */
  readonly where: string
  /** '' or `b."created" DESC, b._rowid`; a view has no tiebreak. */
  readonly orderBy: string
  /** Nothing can match: no need to ask the database. */
  readonly never: boolean
  /** `$1` to `$n` of the three texts together: the caller's own go on from there. */
  readonly params: readonly unknown[]
  /** Something of a client's is in it: a named statement's generic plan would serve it badly. */
  readonly free: boolean
  /** Equal for equal texts. */
  readonly key: string
  readonly structure: QueryStructure
  /** The same question by another way, if there is one; for whoever reads many rows. */
  readonly relatedFirst?: RelatedQuestion
}

/** A question about the related records, whose answer makes the main one cheaper. */
export interface RelatedQuestion {
  /** Asks for ids. */
  readonly text: string
  readonly params: readonly unknown[]
  /** The main question, given all these ids. */
  readonly withIds: (ids: readonly string[]) => CompiledFilter
}
