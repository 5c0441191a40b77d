import { type Condition, makeLeaf } from './condition.ts'
import { convertValue } from './known-value.ts'
import { type Expression, type Operand, writeTextSql } from './operand.ts'
import { FilterError, type Sign } from './parse-filter.ts'
import { makeParam, sql } from './sql-pieces.ts'

/** Compares a value with `:fold` by `~` or `!~`: case and accents do not matter, `%` is a character. */
export function buildFoldedLike(sign: Sign, left: Operand, right: Operand): Condition {
  if (!sign.endsWith('~') || !isFolded(left) || right.kind !== 'known' || !right.pattern)
    throw new FilterError('":fold" is for a field on the left of ~ or !~, with a text on the right')
  const pattern = makeParam('text', convertValue(right.value, 'foldedPattern'))
  return makeLeaf(sql`${writeTextSql(left)} ${sign} ${pattern} COLLATE "C"`, left.rows, left.rows)
}

export const isFolded = (operand: Operand): operand is Expression =>
  operand.kind === 'expression' && operand.isFolded === true
