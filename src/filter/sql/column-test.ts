import { type Column, isKind, joinSql, onlyColumn, type Param, type Sql, sql } from './sql.ts'

/** A column compared with a parameter, or with the empty text: `b."x" >= $1`. */
export interface ColumnTest {
  readonly column: Column
  readonly sign: string
  readonly value: Param | ''
}

/** A condition's SQL, and `test` if it only tests a column. */
export interface Tested {
  readonly sql: Sql
  readonly test?: ColumnTest
}

const EMPTY_TEXT = "''"

export function comparison(left: Sql, sign: string, right: Sql = [EMPTY_TEXT]): Tested {
  const whole = sql`${left} ${sign} ${right}`
  const column = onlyColumn(left)
  const [value, ...more] = right
  if (!column || more.length > 0) return { sql: whole }
  if (isKind(value, 'param')) return { sql: whole, test: { column, sign, value } }
  return value === EMPTY_TEXT ? { sql: whole, test: { column, sign, value: '' } } : { sql: whole }
}

interface Equality {
  readonly column: Column
  readonly param: Param
}

function equalityOf({ test }: Tested): Equality | undefined {
  if (test?.sign !== '=' || test.value === '') return undefined
  return { column: test.column, param: test.value }
}

const isSame = (a: Equality, b: Equality) =>
  a.column.row === b.column.row && a.column.name === b.column.name && a.param.cast === b.param.cast

/** SQL of each alternative; equalities of one column become one `IN`, which an index serves. */
export function joinEqualitiesAsIn(tests: readonly Tested[]): Sql[] {
  const kept: { alone: Sql; equal: Equality | undefined; params: Sql[] }[] = []
  for (const one of tests) {
    const equal = equalityOf(one)
    const known = equal && kept.find((other) => other.equal && isSame(other.equal, equal))
    if (known) known.params.push([equal.param])
    else kept.push({ alone: one.sql, equal, params: equal ? [[equal.param]] : [] })
  }
  return kept.map(({ alone, equal, params }) =>
    equal && params.length > 1 ? sql`${equal.column} IN (${joinSql(params, ', ')})` : alone,
  )
}
