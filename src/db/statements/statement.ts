import type { Db } from '../open.ts'
import { objectsOf, textsOf } from '../rows.ts'
import type { RowOf, Shape } from './columns.ts'
import type { Tables } from './tables.ts'

export { oneOf } from './columns.ts'

/** A part of a statement's text, with slots for values `P`, by name. */
export interface Part<P> {
  readonly pieces: readonly (string | { readonly slot: string })[]
  /** Exists only as a type. */
  readonly values?: P
}
type Parts = readonly (Part<unknown> | string | number)[]
type Both<P> = (P extends unknown ? (values: P) => void : never) extends (values: infer All) => void
  ? All
  : never
type ValuesOf<S extends Parts> = Both<Exclude<S[number], string | number> extends Part<infer P> ? P : unknown>

const placeOf =
  <T>() =>
  <K extends string>(slot: K): Part<Record<K, T>> => ({ pieces: [{ slot }] })
/** A slot for a value: `where id = ${text('id')}`. */
export const text = placeOf<string>()
export const textOrNull = placeOf<string | null>()
export const number = placeOf<number>()
export const numberOrNull = placeOf<number | null>()
export const flag = placeOf<boolean>()
export const flagOrNull = placeOf<boolean | null>()
export const list = placeOf<readonly string[]>()
export const numbers = placeOf<readonly number[]>()

const piecesOf = (one: Parts[number] = '') => (typeof one === 'object' ? one.pieces : [String(one)])

/** A part with slots of its own. Its strings and numbers are inserted as SQL. */
export const part = <S extends Parts>(strings: TemplateStringsArray, ...parts: S): Part<ValuesOf<S>> => ({
  pieces: strings.flatMap((sql, i) => [sql, ...piecesOf(parts[i])]),
})

/** A statement, its values by name, and its rows. Made once, at import; sent by `run`. */
export interface Statement<P, R> {
  readonly name: string
  readonly text: string
  /** Names of the values of $1, $2, … */
  readonly slots: readonly (keyof P & string)[]
  /** A test compares them with Postgres'. */
  readonly columns: Shape
  /** Exists only as a type. */
  readonly row?: R
}

/** The rows of a statement. */
export type Row<S> = S extends Statement<never, infer R> ? R : never

/** A row of a table, for statements that select its columns. */
export type TableRow<T extends keyof Tables> = Readonly<Tables[T]>

/** All statements by their names, for the test that prepares them. */
export const statements = new Map<string, Statement<never, unknown>>()

/**
 * A statement of Postgres after the types of its columns, prepared under its name on each connection.
 * Its parts are as those of `part`.
 */
export const statement =
  <const C extends Shape>(name: string, columns: C) =>
  <S extends Parts>(strings: TemplateStringsArray, ...parts: S): Statement<ValuesOf<S>, RowOf<C>> => {
    if (statements.has(name)) throw new Error(`Two statements are named ${name}`)
    const slots: string[] = []
    const placeOfSlot = (slot: string) => `$${slots.indexOf(slot) + 1 || slots.push(slot)}`
    const sql = part(strings, ...parts).pieces.map((one) =>
      typeof one === 'string' ? one : placeOfSlot(one.slot),
    )
    const made = { name, text: sql.join(''), slots: slots as never[], columns }
    statements.set(name, made)
    return made
  }

/** How a statement is sent: see Db. */
export type Way = 'query' | 'lookUp' | 'shaped'

const send = <P, R>(db: Db, { name, text, slots }: Statement<P, R>, values: P, way: Way = 'query') =>
  db[way](
    text,
    slots.map((slot) => values[slot]),
    name,
  )

/** Sends a statement. Returns its rows as objects. */
export const run = async <P, R>(db: Db, sent: Statement<P, R>, values: P, way?: Way): Promise<R[]> =>
  objectsOf<R>(await send(db, sent, values, way))

/** Sends a statement. Returns its first row as an object. */
export const runForRow = async <P, R>(db: Db, sent: Statement<P, R>, values: P, way?: Way) =>
  (await run(db, sent, values, way))[0]

/** Sends a statement of one text column. Returns its values. */
export const runForTexts = async <P>(
  db: Db,
  sent: Statement<P, Readonly<Record<string, string>>>,
  values: P,
) => textsOf(await send(db, sent, values))

/** Sends a statement. Returns how many rows it wrote. */
export const runForCount = async <P, R>(db: Db, sent: Statement<P, R>, values: P): Promise<number> =>
  (await send(db, sent, values)).count
