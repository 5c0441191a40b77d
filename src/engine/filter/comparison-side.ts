import { convertValue } from './known-value.ts'
import {
  type Affinity,
  type Expression,
  FORMS,
  type Known,
  type Operand,
  writeBoundText,
} from './operand.ts'
import {
  type JoinedRow,
  makeNumberParam,
  makeParam,
  makeTextParam,
  type Sql,
  sql,
} from './sql-pieces.ts'

type Conversion = 'text' | 'numeric' | null

interface AnySide {
  readonly nullable: boolean
  readonly rows: readonly JoinedRow[]
  readonly operand: Operand
}

/** An operand in a comparison, by type. `mixed`: a number in some rows, a text in others. */
export type Side = AnySide &
  (
    | { readonly rank: 'null' }
    | { readonly rank: 'number'; readonly number: Sql }
    | { readonly rank: 'text'; readonly text: Sql }
    | { readonly rank: 'mixed'; readonly mixed: Sql; readonly number: Sql; readonly text: Sql }
  )

/** Both operands, each converted by the other's affinity. Contract 2.10; sqlite.org/datatype3.html 4.2 */
export const makeSides = (left: Operand, right: Operand): [Side, Side] => [
  makeSide(left, chooseConversion(left.affinity, right.affinity)),
  makeSide(right, chooseConversion(right.affinity, left.affinity)),
]

function chooseConversion(own: Affinity, other: Affinity): Conversion {
  if (other === 'numeric' && own !== 'numeric') return 'numeric'
  return other === 'text' && own === 'none' ? 'text' : null
}

export const makeSide = (operand: Operand, conversion: Conversion = null): Side =>
  operand.kind === 'expression'
    ? makeExpressionSide(operand, conversion)
    : makeKnownSide(operand, conversion)

function makeKnownSide(operand: Known, conversion: Conversion): Side {
  const { traits } = operand
  const kind = conversion === 'numeric' ? traits.numeric : traits.kind
  const value = conversion === 'numeric' ? convertValue(operand.value, 'numeric') : operand.value
  const common = { nullable: operand.isEmpty === 'perhaps', rows: [], operand }
  if (kind === 'null') return { ...common, rank: 'null', nullable: true }
  if (kind === 'text' || kind === 'empty' || conversion === 'text')
    return { ...common, rank: 'text', text: writeBoundText(operand) }
  const number = makeNumberParam(value)
  if (kind === 'number') return { ...common, rank: 'number', number }
  const mixed = makeParam('int', convertValue(value, 'rank'))
  const text = makeTextParam(convertValue(value, 'onlyText'))
  return { ...common, rank: 'mixed', mixed, number, text }
}

function makeExpressionSide(operand: Expression, conversion: Conversion): Side {
  const { storage, nullable, rows } = operand
  const common = { nullable, rows, operand }
  const form = FORMS[storage]
  if (storage === 'json' && conversion !== 'text')
    return { ...common, ...makeJsonSide(operand.sql, conversion) }
  if (form.number && conversion !== 'text')
    return { ...common, rank: 'number', number: form.number(operand.sql) }
  const text = form.text(operand.sql)
  if (storage !== 'text' || conversion !== 'numeric') return { ...common, rank: 'text', text }
  return { ...common, ...makeMixedSide(text) }
}

const makeMixedSide = (text: Sql) => {
  const number = sql`pb_numeric(${text})`
  return {
    rank: 'mixed',
    mixed: sql`(CASE WHEN ${text} IS NULL THEN NULL WHEN ${number} IS NULL THEN 2 ELSE 1 END)`,
    number,
    text: sql`(CASE WHEN ${number} IS NULL THEN ${text} END)`,
  } as const
}

const makeJsonSide = (value: Sql, conversion: Conversion) => {
  if (conversion !== 'numeric') {
    return {
      rank: 'mixed',
      mixed: sql`pb_json_rank(${value})`,
      number: sql`pb_json_number(${value})`,
      text: sql`pb_json_string(${value}) COLLATE "C"`,
    } as const
  }
  const number = sql`pb_json_numeric(${value})`
  return {
    rank: 'mixed',
    mixed: sql`(CASE WHEN ${number} IS NULL THEN pb_json_rank(${value}) ELSE 1 END)`,
    number,
    text: sql`(CASE WHEN ${number} IS NULL THEN pb_json_string(${value}) END) COLLATE "C"`,
  } as const
}
