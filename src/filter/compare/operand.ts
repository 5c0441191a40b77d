import type { Slot } from '../sql/facts.ts'
import type { JoinedRow, Sql } from '../sql/sql.ts'

/**
 * What SQLite converts the other side of a comparison to. `text`: text, date, single select, relation and
 * file columns; `numeric`: number, bool and, though they hold text, multiple select, relation and file and
 * geoPoint columns; `none`: literals, request values, JSON, functions, modifiers, and each column of a record
 * that is not stored yet. Contract 2.10.
 */
export type Affinity = 'text' | 'numeric' | 'none'

/**
 * How `=` treats null. `auto`: as the empty text; `off`: as itself (JSON, geoDistance, `:changed`); `forced`:
 * as the empty text, whatever the other side (strftime). Contract 2.3.
 */
type Fallback = 'auto' | 'off' | 'forced'

/** What a column or expression holds: decides how its text and its number are written. See storage.ts. */
export type Storage =
  | 'text'
  | 'number'
  | 'integer'
  | 'real'
  | 'bool'
  | 'list'
  | 'escaped-list'
  | 'geo'
  | 'json'

interface Common {
  readonly affinity: Affinity
  readonly fallback: Fallback
  /** The request's values and literals in it: an operand with parameters may be known to be empty, or not. */
  readonly params: readonly Slot[]
  /** Its path leads to several rows: without `?` all of them must match. */
  readonly all: boolean
  /** The SQL that must hold for anyone to compare it: an email that is visible. */
  readonly guard?: Sql
}

/** A value that no database is needed for. */
export interface Known extends Common {
  readonly kind: 'known'
  readonly slot: Slot
  /** Its text as the pattern of `~`, if it is a parameter. */
  readonly pattern?: Slot
  /** `null`, `true`, `false` and their like, written as such in PocketBase's SQL. */
  readonly keyword?: boolean
  /** It is written as TRUE or FALSE, not as 1 or 0. */
  readonly isWord?: boolean
}

/** A column or an expression over columns. */
export interface Expression extends Common {
  readonly kind: 'expression'
  readonly sql: Sql
  readonly storage: Storage
  readonly nullable: boolean
  /**
   * Of JSON: its text as it stands, for the comparison that needs no more. An index over the same serves it.
   */
  readonly text?: Sql
  /** A stored date: empty, or in its one form. */
  readonly isDate?: boolean
  /** Rows without which it is NULL. */
  readonly rows: readonly JoinedRow[]
  /** It is an element of this list, `row` the row of the element, or of the record whose id it is. */
  readonly element?: { readonly list: Sql; readonly row: JoinedRow }
  /** What it becomes as the right side of `~`: its literals are made patterns, one by one. */
  readonly asPattern?: () => Operand
}

/** One side of a comparison: known before SQL is made, or not. */
export type Operand = Known | Expression

/** A value of the request. */
export const known = (slot: Slot, rest: Partial<Known> = {}): Known => ({
  kind: 'known',
  slot,
  affinity: 'none',
  fallback: 'auto',
  params: [],
  all: false,
  ...rest,
})

/** `null`, `true`, `false`, a count: not a parameter. */
export const keyword = (value: null | bigint): Known => known(() => value, { keyword: true })

/** What `:isset` says. PocketBase: core/record_field_resolver.go, resolveStaticRequestField */
export const word = (value: boolean): Known => known(() => (value ? 1n : 0n), { keyword: true, isWord: true })
