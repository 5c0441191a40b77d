import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  type RootOperationNode,
  type Selectable,
  sql,
  ValueNode,
} from 'kysely'
import type { z } from 'zod'
import type { Result } from './errors.ts'
import type { Db } from './open.ts'
import type { Tables } from './tables.ts'

export { sql }

class Slot implements Expression<never> {
  readonly name: string
  readonly expressionType = undefined

  constructor(name: string) {
    this.name = name
  }

  toOperationNode() {
    return ValueNode.create(this)
  }

  /** Throws, because `Number(slot)` or a template string would silently drop the slot. */
  [Symbol.toPrimitive](): never {
    throw new TypeError(`The slot ${this.name} of a statement has no value yet`)
  }
}

/** An object that has a slot (placeholder of a value) for any property name. */
const makeSlots = (): object => new Proxy({}, { get: (_, name) => new Slot(String(name)) })

/** Writes slots (placeholders) as $1, $2, … and constants as literals. `parameters`: the slots' names. */
class Compiler extends PostgresQueryCompiler {
  readonly #slots: string[] = []

  override compileQuery(
    node: RootOperationNode,
    queryId: Parameters<PostgresQueryCompiler['compileQuery']>[1],
  ) {
    this.#slots.length = 0
    return { ...super.compileQuery(node, queryId), parameters: [...this.#slots] }
  }

  protected override appendValue(value: unknown): void {
    if (value instanceof Slot) this.append(`$${this.#placeOf(value)}`)
    else this.appendImmediateValue(constantOf(value))
  }

  #placeOf({ name }: Slot): number {
    return this.#slots.indexOf(name) + 1 || this.#slots.push(name)
  }
}

function constantOf(value: unknown): unknown {
  const isConstant = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
  if (!isConstant) throw new TypeError(`${String(value)} is no constant of a statement`)
  return value
}

/** Builds statements on the tables of the schema. It has no connection: `run` sends the statements. */
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

/** A part of a statement's text that may contain slots (placeholders of values). */
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
/** A slot (placeholder) for a text value: `where id = ${text('id')}`. */
export const text = placeOf<string>()
export const textOrNull = placeOf<string | null>()
export const number = placeOf<number>()
export const numberOrNull = placeOf<number | null>()
export const flag = placeOf<boolean>()
export const flagOrNull = placeOf<boolean | null>()
export const list = placeOf<readonly string[]>()
export const numbers = placeOf<readonly number[]>()

/** A part of a statement that may contain slots. Strings and numbers are inserted as SQL, unescaped. */
export const part = <S extends Parts>(strings: TemplateStringsArray, ...parts: S): Part<ValuesOf<S>> =>
  sql(strings, ...parts.map(toPart))

const toPart = (one: Parts[number]) => (typeof one === 'object' ? one : sql.raw(String(one)))

interface Types {
  string: string
  number: number
  boolean: boolean
  Date: Date
  Buffer: Buffer
  'string[]': string[]
}

/** Type of a text column with few possible values. */
type OneOf<T> = 'string' & { readonly of?: T }
export const oneOf = <T extends string>() => 'string' as OneOf<T>

/** Types of a statement's columns by name. `?` marks a column that may be null. */
export type Columns = Readonly<Record<string, keyof Types | `${keyof Types}?`>>

type ValueOf<C> =
  C extends OneOf<infer T extends string>
    ? T
    : C extends `${infer T extends keyof Types}?`
      ? Types[T] | null
      : C extends keyof Types
        ? Types[C]
        : never

type Shape = Columns | z.ZodObject

type RowOf<C extends Shape> = C extends z.ZodObject
  ? z.output<C>
  : { -readonly [K in keyof C]: ValueOf<C[K]> }

/** A statement with values P (by name) and rows R. Made once, when its file is imported; sent by `run`. */
export interface Statement<P, R> {
  readonly name: string
  readonly text: string
  /** Names of the values of $1, $2, … */
  readonly slots: readonly (keyof P & string)[]
  /** Columns declared for a statement in SQL text. A test compares them with Postgres. */
  readonly columns?: Shape | undefined
  readonly row?: R
}

export type Row<S> = S extends Statement<never, infer R> ? R : never

export type TableRow<T extends keyof Tables> = Readonly<Selectable<Tables[T]>>

/** All statements by name, for the test that prepares them. */
export const statements = new Map<string, Statement<never, unknown>>()

/** Makes a prepared statement. Constants are in its text, because partial indexes need literals. */
export function statement<P, R>(name: string, build: (slots: Slots<P>) => Compilable<R>): Statement<P, R>
/** Makes a prepared statement from types of columns and a template with parts, as the function `part` has. */
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

/** The method of `Db` that sends a statement. */
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

/** Sends a statement. Returns its first row as an object; undefined if there is no row. */
export const runForRow = async <P, R>(db: Db, sent: Statement<P, R>, values: P, way?: Way) =>
  (await run(db, sent, values, way))[0]

/** Sends a statement that returns one text column. Returns the column's values. */
export const runForTexts = async <P>(
  db: Db,
  sent: Statement<P, Readonly<Record<string, string>>>,
  values: P,
) => textsOf(await send(db, sent, values))

/** Sends a statement. Returns how many rows it returned or changed. */
export const runForCount = async <P, R>(db: Db, sent: Statement<P, R>, values: P): Promise<number> =>
  (await send(db, sent, values)).count

export const cast = <T>(slot: Expression<T>, type: string): RawBuilder<T> => sql<T>`${slot}::${sql.raw(type)}`

export const objectsOf = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

export const textsOf = ({ rows }: Pick<Result, 'rows'>): string[] => rows.map(([text]) => String(text))

/** SQL: hides the column's index from Postgres. With old statistics, 100 reports took 12 s by that index. */
export const unindexed = (column: string): string => `${column} || ''`

/** SQL: whether `column` is an id in a CTE. For a join, Postgres would expect too many rows from the CTE. */
export const isAmong = (column: string, cte: string, id = 'message'): string =>
  `${column} = any(array(select ${id} from ${cte}))`

/** SQL: whether the row `alias`, which was found by its id, belongs to the user. */
export const isOwnedBy = (alias: string, user: string): string => `${unindexed(`${alias}."user"`)} = ${user}`

/** SQL: whether the row `alias`, which was found by its id, belongs to the device and the user. */
export const isHeldByDevice = (alias: string, device: string, user: string): string =>
  `${unindexed(`${alias}.device`)} = ${device} and ${isOwnedBy(alias, user)}`
