import { quote } from '../collections/catalog.ts'
import { cleanText, exponentText, plainNumber } from '../fields/cast.ts'
import type { Value } from '../fields/field.ts'
import type { RequestInfo } from '../request/request.ts'

/** A parameter of a statement. It is numbered when the statement is written. */
export interface Param {
  readonly kind: 'param'
  /** A type such as `text` or `float8`. Without a cast, Postgres would guess it from the context. */
  readonly cast: string
  readonly bind: (input: Input) => unknown
}

/** The column with the order of insertion, which every collection's table has. */
export const ROWID = '_rowid'

/** A column of a joined row or, if `row` is null, of the collection's own table (alias `b`). */
export interface Column {
  readonly kind: 'column'
  readonly row: JoinedRow | null
  readonly name: string
}

export interface Table {
  readonly kind: 'table'
  readonly name: string
}

export const SELECT = { kind: 'select' } as const

type Piece = string | Param | JoinedRow | Column | Table | typeof SELECT

/** SQL in pieces: constant text, parameters, columns, tables, rows. Request values are always parameters. */
export type Sql = readonly Piece[]

export interface JoinSource {
  readonly from: Sql
  readonly columns?: string
  readonly on?: (alias: JoinedRow) => Sql
  readonly order?: (alias: JoinedRow) => Sql
}

/** A row that a path reaches by LEFT JOIN: all its columns may be NULL. */
export class JoinedRow {
  readonly kind = 'joined'
  readonly alias: string
  readonly parent: JoinedRow | null
  /** Whether one row of `parent` may have several rows of this join. */
  readonly many: boolean
  /** Whether one record of the collection may have several rows of this join: it then needs an EXISTS. */
  readonly inMany: boolean
  readonly source: JoinSource

  constructor(alias: string, parent: JoinedRow | null, many: boolean, source: JoinSource) {
    this.alias = alias
    this.parent = parent
    this.many = many
    this.inMany = many || (parent?.inMany ?? false)
    this.source = source
  }
}

/** Builds SQL from pieces: sql`${column} = ${param}`. Strings are inserted as SQL, unquoted. */
export function sql(texts: TemplateStringsArray, ...values: (Piece | Sql)[]): Sql {
  const parts: Piece[] = []
  for (const [i, text] of texts.entries()) {
    if (text !== '') parts.push(text)
    const value = values[i]
    if (value === undefined) continue
    if (Array.isArray(value)) parts.push(...value)
    else parts.push(value as Piece)
  }
  return parts
}

export function joinSql(list: readonly Sql[], separator: string): Sql {
  return list.flatMap((part, i) => (i === 0 ? part : [separator, ...part]))
}

export const columnOf = (row: JoinedRow | null, name: string): Column => ({ kind: 'column', row, name })

export const isKind = <K extends Exclude<Piece, string>['kind']>(
  piece: Piece | undefined,
  kind: K,
): piece is Extract<Piece, { kind: K }> => typeof piece === 'object' && piece.kind === kind

export function onlyColumn([column, ...more]: Sql): Column | undefined {
  return isKind(column, 'column') && more.length === 0 ? column : undefined
}

function rowOf(piece: Piece): JoinedRow | null {
  if (typeof piece === 'string') return null
  if (piece.kind === 'joined') return piece
  return piece.kind === 'column' ? piece.row : null
}

export const rowsIn = (part: Sql): JoinedRow[] => part.flatMap((one) => rowOf(one) ?? [])

/** Replaces references to these rows by their aliases, which the FROM of a subquery defines. */
export const bindRows = (part: Sql, rows: ReadonlySet<JoinedRow>): Sql =>
  part.map((one) => {
    const row = rowOf(one)
    return !isKind(one, 'param') && row && rows.has(row) ? plainText(one) : one
  })

function plainText(piece: Exclude<Piece, Param>): string {
  if (typeof piece === 'string') return piece
  if (piece.kind === 'joined') return piece.alias
  if (piece.kind === 'select') return 'SELECT '
  if (piece.kind === 'table') return quote(piece.name)
  return columnText(piece.row?.alias ?? 'b', piece.name)
}

const columnText = (alias: string, name: string) => `${alias}.${name === ROWID ? ROWID : quote(name)}`

export const baseColumn = (name: string): string => columnText('b', name)

interface ParamPlace {
  readonly index: number
  readonly cast: string
  readonly start: number
  readonly end: number
}

export interface SqlText {
  readonly text: string
  readonly places: readonly ParamPlace[]
}

/** Writes several SQL texts that share one list of parameters. */
export class Writer {
  readonly params: Param[] = []
  readonly #indexes = new Map<Param, number>()

  write(part: Sql): SqlText {
    let text = ''
    const places: ParamPlace[] = []
    for (const one of part) {
      const start = text.length
      if (!isKind(one, 'param')) text += plainText(one)
      else {
        const index = this.index(one)
        text += `$${index + 1}::${one.cast}`
        places.push({ index, cast: one.cast, start, end: text.length })
      }
    }
    return { text, places }
  }

  index(param: Param): number {
    let index = this.#indexes.get(param)
    if (index === undefined) {
      index = this.params.push(param) - 1
      this.#indexes.set(param, index)
    }
    return index
  }
}

/** A SQLite value: `number` is REAL, `bigint` and `boolean` are INTEGER. `~` reads booleans as text. */
export type Scalar = null | string | number | bigint | boolean

export interface Input {
  readonly request: RequestInfo
  readonly literals: readonly { readonly value: Scalar; readonly pattern: string }[]
  readonly candidate: Readonly<Record<string, Value>>
  readonly now: Date
}

export type Slot = (input: Input) => Scalar

export type ScalarKind = 'null' | 'empty' | 'text' | 'number'

export function kindOf(value: Scalar): ScalarKind {
  if (value === null) return 'null'
  if (typeof value !== 'string') return 'number'
  return value === '' ? 'empty' : 'text'
}

/** Matches text that SQLite converts to a number when it is compared with a number column. */
const NUMERIC = /^[ \t\n\v\f\r]*[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?[ \t\n\v\f\r]*$/i

/** Applies SQLite's numeric affinity: text that looks like a number becomes a number. */
export const asNumeric = (value: Scalar): Scalar =>
  typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value

/** Matches text that SQLite takes for true: it begins with a number other than 0. Also used in SQL. */
export const TRUE_TEXT = /^[ \t-\r]*[-+]?0*(\.0*)?[1-9]/

/** The value as SQLite converts it to text, by text affinity, `CAST(… AS TEXT)` or LIKE. */
export function asText(value: Scalar): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return realText(value)
  return String(Number(value))
}

/** The text for which `~` searches: the value as Go's cast.ToString writes it. */
export const goText = (value: Scalar): string =>
  typeof value === 'number' ? plainNumber(value) : value === null ? '' : String(value)

/** A REAL as text with 15 digits, 17 if needed, and always a decimal point. SQLite: printf("%!.15g") */
function realText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf'
  const short = value.toExponential(14)
  const [mantissa = '', power = '0'] = (Number(short) === value ? short : value.toExponential(16)).split('e')
  const sign = value < 0 ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '')
  const exponent = Number(power)
  if (value === 0) return '0.0'
  if (exponent < -4 || exponent > 16) return `${sign}${withPoint(digits, 1)}e${exponentText(exponent)}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  return sign + withPoint(digits, exponent + 1)
}

const withPoint = (digits: string, whole: number) =>
  `${digits.slice(0, whole).padEnd(whole, '0')}.${digits.slice(whole) || '0'}`

/** Lowers ASCII letters only, as SQLite's LOWER() and LIKE do. */
export const lowerAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

export const param = (cast: string, bind: (input: Input) => unknown): Sql => [
  { kind: 'param', cast, bind } satisfies Param,
]

export const textParam = (slot: Slot): Sql =>
  param('text', (input) => {
    const text = asText(slot(input))
    return text === null ? null : cleanText(text)
  })

export const numberParam = (slot: Slot): Sql =>
  param('float8', (input) => {
    const value = slot(input)
    return value === null || typeof value === 'string' ? null : Number(value)
  })

export const flagParam = (flag: (input: Input) => boolean): Sql => param('bool', flag)

export function withAncestors(row: JoinedRow): JoinedRow[] {
  const line: JoinedRow[] = []
  for (let one: JoinedRow | null = row; one; one = one.parent) line.push(one)
  return line
}

/** The rows that a condition joins, one for each path. */
export class Scope {
  readonly rows: JoinedRow[]
  readonly #byPath = new Map<string, JoinedRow>()
  readonly #outer: Scope | null
  readonly #aliases: { next: number }

  constructor(outer: Scope | null = null, rows: JoinedRow[] = [], aliases = { next: 1 }) {
    this.#outer = outer
    this.rows = rows
    this.#aliases = aliases
  }

  /** A scope for a subquery. It shares joins with the outer query, except on paths to many rows. */
  inner(): Scope {
    return new Scope(this, [], this.#aliases)
  }

  /** A scope in the same subquery, for the other side of a comparison. It shares no joins with this one. */
  sibling(): Scope {
    return new Scope(this.#outer, this.rows, this.#aliases)
  }

  /** A scope in the same FROM, for another rule. It shares no joins with this one. */
  apart(): Scope {
    return new Scope(null, this.rows, this.#aliases)
  }

  join(name: string, parent: JoinedRow | null, many: boolean, source: () => JoinSource): JoinedRow {
    if (this.#outer && !many && !parent?.inMany) return this.#outer.join(name, parent, many, source)
    const path = `${parent?.alias ?? ''}/${name}`
    let row = this.#byPath.get(path)
    if (!row) {
      row = new JoinedRow(`j${this.#aliases.next++}`, parent, many, source())
      this.#byPath.set(path, row)
      this.rows.push(row)
    }
    return row
  }
}
