import { type Expression, type RawBuilder, sql } from 'kysely'
import { makeExecutor, type QueryMethod } from './execute-statement.ts'
import type { Functions, TableFunctions } from './functions.ts'
import type { Db } from './open.ts'

/** Arguments of a function: values, which are bound, or SQL. */
type Args<Values extends readonly unknown[]> = {
  readonly [K in keyof Values]: Values[K] | null | Expression<unknown>
}

const writeCall = (name: string, args: readonly unknown[]) =>
  sql`${sql.ref(name)}(${sql.join(args)})`

/** Runs a statement that is written in SQL, because it has several parts. Returns its rows. */
export async function executeStatement<Row>(
  db: Db,
  statement: RawBuilder<Row>,
  way: QueryMethod = 'query',
): Promise<Row[]> {
  return (await statement.execute({ getExecutor: () => makeExecutor(db, way) })).rows
}

export async function evaluateSql<Value>(
  db: Db,
  expression: RawBuilder<Value>,
  way?: QueryMethod,
): Promise<Value> {
  const [row] = await executeStatement(
    db,
    sql<{ readonly value: Value }>`select ${expression} as value`,
    way,
  )
  return row!.value
}

/** Calls a function of `sql/functions`. Returns its result, whose type leaves out null. */
export const callFunction = <Name extends keyof Functions>(
  db: Db,
  name: Name,
  ...args: Args<Parameters<Functions[Name]>>
): Promise<ReturnType<Functions[Name]>> =>
  evaluateSql(db, writeCall(name, args) as RawBuilder<ReturnType<Functions[Name]>>)

export const callFunctionRows = <Name extends keyof TableFunctions>(
  db: Db,
  name: Name,
  ...args: Args<Parameters<TableFunctions[Name]>>
) =>
  executeStatement(
    db,
    sql<ReturnType<TableFunctions[Name]>>`select * from ${writeCall(name, args)}`,
  )
