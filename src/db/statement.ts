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

  /** without this, `Number(slot)` or a template string would silently drop the slot */
  [Symbol.toPrimitive](): never {
    throw new TypeError(`The slot ${this.name} of a statement has no value yet`)
  }
}

/** An object with a slot for any name. */
const makeSlots = (): object => new Proxy({}, { get: (_, name) => new Slot(String(name)) })

/** Writes slots as $1, $2, … and constants into the text. `parameters` of its result: the slots' names. */
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

interface Types {
  string: string
  number: number
  boolean: boolean
  Date: Date
  Buffer: Buffer
  'string[]': string[]
}

/** A text column with few possible values. */
type OneOf<T> = 'string' & { readonly of?: T }
export const oneOf = <T extends string>() => 'string' as OneOf<T>

/** The columns of a statement by name, `?` for one that may be null. */
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

/** Rows as objects, by column name. `T`: the columns that the statement selects. */
export const objectsOf = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

export const textsOf = ({ rows }: Pick<Result, 'rows'>): string[] => rows.map(([text]) => String(text))

/** SQL: a column without its index, which Postgres would use with old statistics: 100 reports took 12 s. */
export const unindexed = (column: string): string => `${column} || ''`

/** SQL: whether `column` is an id of a CTE, from which Postgres would expect too many rows in a join. */
export const isAmong = (column: string, cte: string, id = 'message'): string =>
  `${column} = any(array(select ${id} from ${cte}))`

/** SQL: a row by its alias, found by its id, is this user's. */
export const isOwnedBy = (alias: string, user: string): string => `${unindexed(`${alias}."user"`)} = ${user}`

/** SQL: a row by its alias, found by its id, is this device's and this user's. */
export const isHeldByDevice = (alias: string, device: string, user: string): string =>
  `${unindexed(`${alias}.device`)} = ${device} and ${isOwnedBy(alias, user)}`
