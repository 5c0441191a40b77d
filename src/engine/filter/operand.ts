import type { Scalar } from './convert-scalars.ts'
import { convertValue, type KnownValue, makeKnownValue } from './known-value.ts'
import { deriveTraits, NUMBER_TRAITS, type Traits } from './literal-traits.ts'
import { type JoinedRow, makeParam, makeTextParam, type Sql, sql } from './sql-pieces.ts'

/** SQLite's type affinity of an operand. The other operand may be converted to it. Contract 2.10 */
export type Affinity = 'text' | 'numeric' | 'none'

/** Whether `=` treats null as the empty text: `forced` always, `auto` like PocketBase, `off` never. */
type Fallback = 'auto' | 'off' | 'forced'

/** The type of a column or expression. FORMS converts each to text and, if possible, to a number. */
export type OperandStorage =
  | 'text'
  | 'number'
  | 'integer'
  | 'real'
  | 'bool'
  | 'list'
  | 'geo'
  | 'json'

interface Common {
  readonly affinity: Affinity
  readonly fallback: Fallback
  /** Whether a request value or literal is null or an empty text; `perhaps`: it depends on the request. */
  readonly isEmpty?: boolean | 'perhaps' | undefined
  /** Whether a path may lead to several rows. They must all match, unless the operator has a `?`. */
  readonly all: boolean
  /** SQL that must also be true for a comparison to hold, such as that the client may see the email. */
  readonly guard?: Sql
}

/** A value that the server has before the query: from the request, a literal or a keyword. */
export interface Known extends Common {
  readonly kind: 'known'
  readonly value: KnownValue
  readonly traits: Traits
  /** The value as a pattern for `~`. Absent for keywords (`null`, `true`) and counts. */
  readonly pattern?: KnownValue
  readonly constant?: Scalar | undefined
  readonly isWord?: boolean
}

export interface Expression extends Common {
  readonly kind: 'expression'
  readonly sql: Sql
  readonly storage: OperandStorage
  readonly nullable: boolean
  /** For JSON: SQL of the value as plain text, which is enough for some comparisons and can use an index. */
  readonly text?: Sql
  /** Whether the value is a stored date: empty or in PocketBase's format. */
  readonly isDate?: boolean
  /** Whether the field has the modifier `:fold`: only `~` and `!~` compare it. */
  readonly isFolded?: boolean
  /** Joined rows that the expression reads: if one is missing, it is NULL. */
  readonly rows: readonly JoinedRow[]
  /** For an element of a list: SQL of the list, and the row joined for the element (a value or a record). */
  readonly element?: { readonly list: Sql; readonly row: JoinedRow }
  /** Returns the expression for the right side of `~`: request values and literals in it become patterns. */
  readonly asPattern?: () => Operand
}

export type Operand = Known | Expression

/** An expression that may be NULL and has no affinity, unless `rest` says otherwise. */
export const makeExpression = (
  part: Sql,
  storage: OperandStorage,
  rest: Partial<Expression> = {},
): Expression => ({
  kind: 'expression',
  sql: part,
  storage,
  affinity: 'none',
  fallback: 'auto',
  all: false,
  nullable: true,
  rows: [],
  ...rest,
})

const makeKnownOperand = (value: KnownValue, traits: Traits, rest: Partial<Known> = {}): Known => ({
  kind: 'known',
  value,
  traits,
  affinity: 'none',
  fallback: 'auto',
  isEmpty: traits.kind === 'mixed' ? 'perhaps' : traits.kind === 'null' || traits.kind === 'empty',
  all: false,
  ...rest,
})

export const makeParameter = (
  value: KnownValue,
  traits: Traits,
  rest: Partial<Known> = {},
): Known => makeKnownOperand(value, traits, { pattern: convertValue(value, 'pattern'), ...rest })

/** A value that is the same for all requests, such as a literal. */
export const makeConstant = (value: Scalar): Known =>
  makeParameter(makeKnownValue({ kind: 'constant', value }), deriveTraits(value), {
    constant: value,
  })

/** The keyword `null`, `true` or `false`, which `~` cannot use as a pattern. */
export const makeKeyword = (value: null | bigint): Known =>
  makeKnownOperand(makeKnownValue({ kind: 'constant', value }), deriveTraits(value))

export const makeNumberOperand = (value: KnownValue): Known =>
  makeKnownOperand(value, NUMBER_TRAITS)

/** The result of `:isset`, 0 or 1. PocketBase: core/record_field_resolver.go, resolveStaticRequestField */
export const makeIssetResult = (value: KnownValue): Known =>
  makeKnownOperand(value, NUMBER_TRAITS, { isWord: true })

/** SQL of a stored value as a number and as a text. Computed texts have collation C, to sort by bytes. */
interface Form {
  readonly number?: (value: Sql) => Sql
  readonly text: (value: Sql) => Sql
}

/** By type of storage: how to get a value's text and, where values are never texts, its number. */
export const FORMS: Readonly<Record<OperandStorage, Form>> = {
  text: { text: (value) => value },
  number: { number: (value) => value, text: (value) => sql`pb_number_text(${value}) COLLATE "C"` },
  integer: { number: (value) => value, text: (value) => sql`(${value})::text COLLATE "C"` },
  real: { number: (value) => value, text: (value) => sql`pb_real_text(${value}) COLLATE "C"` },
  bool: {
    number: (value) => sql`${value}::int`,
    text: (value) => sql`${value}::int::text COLLATE "C"`,
  },
  list: { text: (value) => sql`array_to_json(${value})::text COLLATE "C"` },
  geo: { text: (value) => sql`${value}::text COLLATE "C"` },
  json: { text: (value) => sql`pb_json_text(${value}) COLLATE "C"` },
}

export const writeBoundText = ({ value, traits: { kind } }: Known): Sql =>
  kind === 'text' || kind === 'empty' ? makeParam('text', value) : makeTextParam(value)

export const writeTextSql = (operand: Operand): Sql =>
  operand.kind === 'expression' ? FORMS[operand.storage].text(operand.sql) : writeBoundText(operand)
