import type { Collection } from '../../collections/collection.ts'
import type { Input } from './input.ts'

/** A parameter of a statement; it gets its number when the statement is written. */
export interface Param {
  readonly kind: 'param'
  /** `text`, `float8`, `text[]`: uncast, Postgres would guess the type from the neighbour. */
  readonly cast: string
  readonly bind: (input: Input) => unknown
}

/**
 * SQL in pieces: text of ours, parameters, and rows that stand for their alias. Nothing of a request is text.
 */
export type Sql = readonly (string | Param | JoinedRow)[]

/** How a joined row comes into a FROM. */
export interface JoinSource {
  /** Table or function: what stands before the alias. */
  readonly from: Sql
  /** Column names after the alias, for a function. */
  readonly columns?: string
  /** None: each row of it. */
  readonly on?: (alias: JoinedRow) => Sql
  /** The collection of the records that a list names. */
  readonly among?: Collection
  /** What gives several rows of it their order. */
  readonly order?: (alias: JoinedRow) => Sql
}

/** A row that a path leads to by a LEFT JOIN: all its columns may be NULL. */
export class JoinedRow {
  readonly kind = 'joined'
  readonly alias: string
  readonly parent: JoinedRow | null
  /** It may give several rows for one of its parent. */
  readonly many: boolean
  /** It, or one it hangs on, may give several rows for one of the base: it has to live in an EXISTS. */
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

/** Puts pieces together: sql`${column} = ${param}`. A text is taken as it is. */
export function sql(texts: TemplateStringsArray, ...values: (string | Param | JoinedRow | Sql)[]): Sql {
  const parts: (string | Param | JoinedRow)[] = []
  for (const [i, text] of texts.entries()) {
    if (text !== '') parts.push(text)
    const value = values[i]
    if (value === undefined) continue
    if (Array.isArray(value)) parts.push(...value)
    else parts.push(value as string | Param | JoinedRow)
  }
  return parts
}

/** Pieces with a text between each two. */
export function joinSql(list: readonly Sql[], separator: string): Sql {
  return list.flatMap((part, i) => (i === 0 ? part : [separator, ...part]))
}

/** A text as a literal: only for constants of ours. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** The rows that a piece of SQL names. */
export const rowsIn = (part: Sql): JoinedRow[] =>
  part.filter((one): one is JoinedRow => typeof one === 'object' && one.kind === 'joined')

/** The same with these rows' aliases as plain text: they are now in the FROM of a subquery. */
export const bindRows = (part: Sql, rows: ReadonlySet<JoinedRow>): Sql =>
  part.map((one) => (typeof one === 'object' && one.kind === 'joined' && rows.has(one) ? one.alias : one))

/** Writes SQL texts that share one row of parameters. */
export class Writer {
  readonly params: Param[] = []
  readonly #numbers = new Map<Param, number>()

  write(part: Sql): string {
    let text = ''
    for (const one of part) {
      if (typeof one === 'string') text += one
      else text += one.kind === 'param' ? `$${this.#number(one)}::${one.cast}` : one.alias
    }
    return text
  }

  #number(param: Param): number {
    let number = this.#numbers.get(param)
    if (number === undefined) {
      number = this.params.push(param)
      this.#numbers.set(param, number)
    }
    return number
  }
}
