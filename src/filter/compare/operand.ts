import { goText, type JoinedRow, type Scalar, type Slot, type Sql, sql } from '../sql/sql.ts'
import { likePattern, NUMBER, type Traits, traitsOf } from '../sql/traits.ts'

/** SQLite's type affinity, which converts the other side. `numeric`: also multiple choices. Contract 2.10 */
export type Affinity = 'text' | 'numeric' | 'none'

/** What `=` takes null for: the empty text (`auto`; `forced` against any operand) or null (`off`). */
type Fallback = 'auto' | 'off' | 'forced'

/** The type of a column or expression, which decides how FORMS writes its text and number. */
export type Storage = 'text' | 'number' | 'integer' | 'real' | 'bool' | 'list' | 'geo' | 'json'

interface Common {
  readonly affinity: Affinity
  readonly fallback: Fallback
  /** Whether the request value or literal is null or empty; undefined for other operands. */
  readonly isEmpty?: boolean | 'perhaps' | undefined
  /** Whether the path may lead to several rows, which must all match if there is no `?`. */
  readonly all: boolean
  /** SQL that must be true for a client to compare it, such as that an email is visible. */
  readonly guard?: Sql
}

/** A value known to the server: from the request, a literal or a keyword. */
export interface Known extends Common {
  readonly kind: 'known'
  readonly slot: Slot
  readonly traits: Traits
  /** The value as a pattern of `~`. Absent for keywords (`null`, `true`) and counts. */
  readonly pattern?: Slot
  readonly constant?: Scalar | undefined
  readonly isWord?: boolean
}

export interface Expression extends Common {
  readonly kind: 'expression'
  readonly sql: Sql
  readonly storage: Storage
  readonly nullable: boolean
  /** For JSON: SQL of the value as plain text, enough for some comparisons. An index can serve it. */
  readonly text?: Sql
  /** Whether it is a stored date: empty or in PocketBase's format. */
  readonly isDate?: boolean
  /** Joined rows; if one of them is missing, the expression is NULL. */
  readonly rows: readonly JoinedRow[]
  /** The list of which it is an element. `row`: the row of the element, or of the record with this id. */
  readonly element?: { readonly list: Sql; readonly row: JoinedRow }
  /** Returns the operand for the right side of `~`: its known values become patterns. Absent without any. */
  readonly asPattern?: () => Operand
}

export type Operand = Known | Expression

const known = (slot: Slot, traits: Traits, rest: Partial<Known> = {}): Known => ({
  kind: 'known',
  slot,
  traits,
  affinity: 'none',
  fallback: 'auto',
  isEmpty: traits.kind === 'mixed' ? 'perhaps' : traits.kind === 'null' || traits.kind === 'empty',
  all: false,
  ...rest,
})

export const parameter = (slot: Slot, traits: Traits, rest: Partial<Known> = {}): Known =>
  known(slot, traits, { pattern: (input) => patternOf(slot(input)), ...rest })

const patternOf = (value: Scalar) => (value === null ? null : likePattern(goText(value)))

/** A value that is the same for all requests, such as a literal. */
export const constantOf = (value: Scalar): Known =>
  parameter(() => value, traitsOf(value), { constant: value })

/** `null`, `true` or `false`: not a parameter. */
export const keyword = (value: null | bigint): Known => known(() => value, traitsOf(value))

export const countOf = (slot: Slot): Known => known(slot, NUMBER)

/** The result of `:isset`. PocketBase: core/record_field_resolver.go, resolveStaticRequestField */
export const word = (slot: Slot): Known => known(slot, NUMBER, { isWord: true })

/** SQL of a stored value as number and as text. Computed texts name a collation, so that no locale sorts. */
interface Form {
  readonly number?: (value: Sql) => Sql
  readonly text: (value: Sql) => Sql
}

/** By storage. JSON has both, because it may be a number or a text. */
export const FORMS: Readonly<Record<Storage, Form>> = {
  text: { text: (value) => value },
  number: { number: (value) => value, text: (value) => sql`pb_number_text(${value}) COLLATE "C"` },
  integer: { number: (value) => value, text: (value) => sql`(${value})::text COLLATE "C"` },
  real: { number: (value) => value, text: (value) => sql`pb_real_text(${value}) COLLATE "C"` },
  bool: { number: (value) => sql`${value}::int`, text: (value) => sql`${value}::int::text COLLATE "C"` },
  list: { text: (value) => sql`array_to_json(${value})::text COLLATE "C"` },
  geo: { text: (value) => sql`${value}::text COLLATE "C"` },
  json: { text: (value) => sql`pb_json_text(${value}) COLLATE "C"` },
}
