import { type JoinedRow, joinSql, type Param, type Sql, sql } from './sql.ts'

/** A column, and values of one type of which it is to have one. */
interface OneOf {
  readonly row: string | JoinedRow
  readonly column: string
  readonly params: Param[]
}

const COLUMN = /^\."(?:[^"]|"")+"$/

/** What `b."x" = $1` says. */
export function parseEquality(test: Sql): OneOf | undefined {
  const [row, column, , sign, , param, ...more] = test
  if (more.length > 0 || sign !== '=' || typeof param !== 'object' || param.kind !== 'param') return undefined
  if (typeof column !== 'string' || !COLUMN.test(column)) return undefined
  if (typeof row !== 'string' && row?.kind !== 'joined') return undefined
  return { row, column, params: [param] }
}

const isSame = (a: OneOf, b: OneOf) =>
  a.row === b.row && a.column === b.column && a.params[0]!.cast === b.params[0]!.cast

const oneOf = ({ row, column, params }: OneOf): Sql =>
  sql`${row}${column} IN (${joinSql(
    params.map((param) => [param]),
    ', ',
  )})`

/**
 * Tests of which one has to hold, those of one column together: `a = 1 OR a = 2` as `a IN (1, 2)`. An index
 * finds these and no others, which Postgres does not see by itself: 30 of 20 open messages among 102,000 took
 * 40 ms.
 */
export function joinEqualitiesAsIn(tests: readonly Sql[]): Sql[] {
  const kept: { test: Sql; equal: OneOf | undefined }[] = []
  for (const test of tests) {
    const equal = parseEquality(test)
    const known = equal && kept.find((one) => one.equal && isSame(one.equal, equal))
    if (known) known.equal!.params.push(...equal.params)
    else kept.push({ test, equal })
  }
  return kept.map(({ test, equal }) => (equal && equal.params.length > 1 ? oneOf(equal) : test))
}
