import type { Slot } from '../sql/facts.ts'
import type { JoinedRow, Sql } from '../sql/sql.ts'

/**
 * SQLite's type affinity of an operand, which converts the other side. `text`: text, date, single choices;
 * `numeric`: number, bool, geoPoint and, though stored as text, multiple choices; `none`: all that is no
 * column, JSON, and the columns of a record that is not stored yet. Contract 2.10.
 */
export type Affinity = 'text' | 'numeric' | 'none'

/** How `=` treats null: as the empty text (`auto`, `forced`: against anything) or as null (`off`). */
type Fallback = 'auto' | 'off' | 'forced'

/** What a column or expression holds: decides how its text and number are written. See storage.ts. */
export type Storage = 'text' | 'number' | 'integer' | 'real' | 'bool' | 'list' | 'geo' | 'json'

interface Common {
  readonly affinity: Affinity
  readonly fallback: Fallback
  /** Its request values and literals. An operand with parameters may be known to be empty. */
  readonly params: readonly Slot[]
  /** Its path leads to several rows; without `?` all must match. */
  readonly all: boolean
  /** SQL that must hold before a client may compare it: the email is visible. */
  readonly guard?: Sql
}

/** A value known without the database. */
export interface Known extends Common {
  readonly kind: 'known'
  readonly slot: Slot
  /** Its text as a pattern of `~`, if it is a parameter. */
  readonly pattern?: Slot
  /** `null`, `true`, `false` and the like, written as keywords in PocketBase's SQL. */
  readonly keyword?: boolean
  /** Written as TRUE or FALSE instead of 1 or 0. */
  readonly isWord?: boolean
}

export interface Expression extends Common {
  readonly kind: 'expression'
  readonly sql: Sql
  readonly storage: Storage
  readonly nullable: boolean
  /** For JSON: its plain text, for comparisons that need no more. An index can serve it. */
  readonly text?: Sql
  /** A stored date: empty or in PocketBase's form. */
  readonly isDate?: boolean
  /** Rows whose absence makes it NULL. */
  readonly rows: readonly JoinedRow[]
  /** It is an element of this list; `row` is the element's row, or the row of the record whose id it is. */
  readonly element?: { readonly list: Sql; readonly row: JoinedRow }
  /** Converts it for the right side of `~`: each literal becomes a pattern. */
  readonly asPattern?: () => Operand
}

/** One side of a comparison. */
export type Operand = Known | Expression

export const known = (slot: Slot, rest: Partial<Known> = {}): Known => ({
  kind: 'known',
  slot,
  affinity: 'none',
  fallback: 'auto',
  params: [],
  all: false,
  ...rest,
})

/** `null`, `true`, `false` or a count: not a parameter. */
export const keyword = (value: null | bigint): Known => known(() => value, { keyword: true })

/** The result of `:isset`. PocketBase: core/record_field_resolver.go, resolveStaticRequestField */
export const word = (value: boolean): Known => known(() => (value ? 1n : 0n), { keyword: true, isWord: true })
