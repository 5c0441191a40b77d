import { quoteName } from '../collections/sql-names.ts'
import { convertValue, type KnownValue } from './known-value.ts'

/** A parameter of a statement. It is numbered when the statement is written. */
export interface Param {
  readonly kind: 'param'
  /** A type such as `text` or `float8`. Without a cast, Postgres would guess it from the context. */
  readonly cast: string
  readonly value: KnownValue
}

/** The column with the order of insertion, which every collection's table has. */
export const ROWID = '_rowid'

/** A column of a joined row or, if `row` is null, of the collection's own table (alias `b`). */
export interface Column {
  readonly kind: 'column'
  readonly row: JoinedRow | null
  readonly name: string
}

interface Table {
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

export const makeColumn = (row: JoinedRow | null, name: string): Column => ({
  kind: 'column',
  row,
  name,
})

export const isPieceKind = <K extends Exclude<Piece, string>['kind']>(
  piece: Piece | undefined,
  kind: K,
): piece is Extract<Piece, { kind: K }> => typeof piece === 'object' && piece.kind === kind

export function findOnlyColumn([column, ...more]: Sql): Column | undefined {
  return isPieceKind(column, 'column') && more.length === 0 ? column : undefined
}

function findJoinedRow(piece: Piece): JoinedRow | null {
  if (typeof piece === 'string') return null
  if (piece.kind === 'joined') return piece
  return piece.kind === 'column' ? piece.row : null
}

export const listJoinedRows = (part: Sql): JoinedRow[] =>
  part.flatMap((one) => findJoinedRow(one) ?? [])

/** Replaces references to these rows by their aliases, which the FROM of a subquery defines. */
export const bindRows = (part: Sql, rows: ReadonlySet<JoinedRow>): Sql =>
  part.map((one) => {
    const row = findJoinedRow(one)
    return !isPieceKind(one, 'param') && row && rows.has(row) ? writePieceText(one) : one
  })

export function writePieceText(piece: Exclude<Piece, Param>): string {
  if (typeof piece === 'string') return piece
  if (piece.kind === 'joined') return piece.alias
  if (piece.kind === 'select') return 'SELECT '
  if (piece.kind === 'table') return quoteName(piece.name)
  return writeColumnText(piece.row?.alias ?? 'b', piece.name)
}

const writeColumnText = (alias: string, name: string) =>
  `${alias}.${name === ROWID ? ROWID : quoteName(name)}`

export const writeBaseColumn = (name: string): string => writeColumnText('b', name)

export const makeParam = (cast: string, value: KnownValue): Sql => [
  { kind: 'param', cast, value } satisfies Param,
]

export const makeTextParam = (value: KnownValue): Sql =>
  makeParam('text', convertValue(value, 'text'))

export const makeNumberParam = (value: KnownValue): Sql =>
  makeParam('float8', convertValue(value, 'number'))
