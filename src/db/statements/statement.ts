import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type RawBuilder,
  type Selectable,
  sql,
} from 'kysely'
import type { Db } from '../open.ts'
import { objectsOf, textsOf } from '../rows.ts'
import type { RowOf, Shape } from './columns.ts'
import { Compiler, makeSlots } from './compiler.ts'
import type { Tables } from './tables.ts'

export { sql } from 'kysely'
export { oneOf } from './columns.ts'

/** Builds statements over the tables of the schema. It has no connection: `run` sends them. */
export const tables = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  },
})

export type Slots<P> = { readonly [K in keyof P]: Expression<P[K]> }
export type Texts<K extends string> = Slots<Record<K, string>>

/** A part of a statement's text, with slots. */
export interface Part<P> extends Expression<unknown> {
  readonly values?: P
}
type Parts = readonly (Part<unknown> | string | number)[]
type Both<P> = (P extends unknown ? (values: P) => void : never) extends (values: infer All) => void
  ? All
  : never
type ValuesOf<S extends Parts> = Both<Exclude<S[number], string | number> extends Part<infer P> ? P : unknown>

const placeOf =
  <T>() =>
  <K extends string>(name: K): Part<Record<K, T>> =>
    Reflect.get(makeSlots(), name)
/** A slot for a value: `where id = ${text('id')}`. */
export const text = placeOf<string>()
export const textOrNull = placeOf<string | null>()
export const number = placeOf<number>()
export const numberOrNull = placeOf<number | null>()
export const flag = placeOf<boolean>()
export const flagOrNull = placeOf<boolean | null>()
export const list = placeOf<readonly string[]>()
export const numbers = placeOf<readonly number[]>()

/** A part with slots of its own. Its strings and numbers are inserted as SQL. */
export const part = <S extends Parts>(strings: TemplateStringsArray, ...parts: S): Part<ValuesOf<S>> =>
  sql(strings, ...parts.map(toPart))

const toPart = (one: Parts[number]) => (typeof one === 'object' ? one : sql.raw(String(one)))

/** A statement, its values by name, and its rows. Made once, at import; sent by `run`. */
export interface Statement<P, R> {
  readonly name: string
  readonly text: string
  /** Names of the values of $1, $2, … */
  readonly slots: readonly (keyof P & string)[]
  /** For statements as text: columns that a test compares with Postgres'. */
  readonly columns?: Shape | undefined
  readonly row?: R
}

export type Row<S> = S extends Statement<never, infer R> ? R : never

export type TableRow<T extends keyof Tables> = Readonly<Selectable<Tables[T]>>

/** All statements by their names, for the test that prepares them. */
export const statements = new Map<string, Statement<never, unknown>>()

/** A prepared statement of the slots that `build` uses. Constants are in its text, for partial indexes. */
export function statement<P, R>(name: string, build: (slots: Slots<P>) => Compilable<R>): Statement<P, R>
/** A statement as text, after the types of its columns. Its parts are as those of `part`. */
export function statement<const C extends Shape>(
  name: string,
  columns: C,
): <S extends Parts>(strings: TemplateStringsArray, ...parts: S) => Statement<ValuesOf<S>, RowOf<C>>
export function statement(name: string, given: Shape | ((slots: never) => Compilable)): unknown {
  if (typeof given === 'function') return add(name, given(makeSlots() as never).compile())
  return (strings: TemplateStringsArray, ...parts: Parts) =>
    add(name, sql(strings, ...parts.map(toPart)).compile(tables), given)
}

function add(name: string, { sql: text, parameters }: CompiledQuery, columns?: Shape) {
  if (statements.has(name)) throw new Error(`Two statements are named ${name}`)
  const made = { name, text, slots: parameters as never[], columns }
  statements.set(name, made)
  return made
}

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

/** An expression of a slot as another type of Postgres: `cast(seconds, 'float8')`. */
export const cast = <T>(slot: Expression<T>, type: string): RawBuilder<T> => sql<T>`${slot}::${sql.raw(type)}`
