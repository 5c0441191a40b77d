import {
  type Compilable,
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Db } from '../open.ts'
import { objectsOf } from '../rows.ts'
import { Compiler, makeSlots } from './compiler.ts'
import type { Tables } from './tables.ts'

export { sql } from 'kysely'

/** Builds statements over the tables of the schema. It has no connection: `run` sends them. */
export const tables = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  },
})

/** The places of a statement's values, by name: it is built before it has values. */
export type Slots<P> = { readonly [K in keyof P]: Expression<P[K]> }
/** The same of texts, by their names alone. */
export type Texts<K extends string> = Slots<Record<K, string>>

/** A statement, its values by name, and its rows. Made once, at import; sent by `run`. */
export interface Statement<P, R> {
  readonly name: string
  readonly text: string
  /** Names of the values of $1, $2, … */
  readonly slots: readonly (keyof P & string)[]
  /** Of types alone. */
  readonly row?: R
}

/** All statements by their names, for the test that prepares them. */
export const statements = new Map<string, Statement<never, unknown>>()

/**
 * A statement of Postgres, prepared under its name on each connection. What `build` uses of its slots becomes
 * $1, $2, …; constants are written into the text, since a plan for any value cannot use a partial index.
 */
export function statement<P, R>(name: string, build: (slots: Slots<P>) => Compilable<R>): Statement<P, R> {
  if (statements.has(name)) throw new Error(`Two statements are named ${name}`)
  const { sql: text, parameters } = build(makeSlots() as Slots<P>).compile()
  const made = { name, text, slots: parameters as (keyof P & string)[] }
  statements.set(name, made as Statement<never, unknown>)
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

/** Sends a statement. Its rows, as objects. */
export const run = async <P, R>(db: Db, sent: Statement<P, R>, values: P, way?: Way): Promise<R[]> =>
  objectsOf<R>(await send(db, sent, values, way))

/** Sends a statement. Its first row, as an object. */
export const runForRow = async <P, R>(db: Db, sent: Statement<P, R>, values: P, way?: Way) =>
  (await run(db, sent, values, way))[0]

/** Sends a statement. How many rows it wrote. */
export const runForCount = async <P, R>(db: Db, sent: Statement<P, R>, values: P): Promise<number> =>
  (await send(db, sent, values)).count

/** A column of type timestamptz as PocketBase's text. */
export const pbText = (column: string): RawBuilder<string> => sql<string>`pb_text(${sql.ref(column)})`

/** An expression of a slot as another type of Postgres: `cast(seconds, 'float8')`. */
export const cast = <T>(slot: Expression<T>, type: string): RawBuilder<T> => sql<T>`${slot}::${sql.raw(type)}`
