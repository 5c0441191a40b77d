import type { Storage } from '../fields/field.ts'
import { findFieldStorage } from '../fields/field-types.ts'
import { writeSortedJson } from '../fields/json-text.ts'
import { formatScalar, lowerAscii, type Scalar } from './convert-scalars.ts'
import { splitModifier } from './field-operand.ts'
import type { Context } from './filter-row.ts'
import { MIXED, TEXT } from './literal-traits.ts'
import { makeIssetResult, makeParameter, type Operand } from './operand.ts'
import { FilterError } from './parse-filter.ts'
import type { Input, Slot } from './sql-pieces.ts'

export const lowerOperand = (slot: Slot): Operand =>
  makeParameter(lowerSlot(slot), MIXED, { pattern: lowerSlot(makeParameter(slot, MIXED).pattern!) })

const lowerSlot =
  (slot: Slot): Slot =>
  (input) => {
    const text = formatScalar(slot(input))
    return text === null ? null : lowerAscii(text)
  }

export function resolveValue(context: Context, path: readonly string[]): Operand {
  const [last, modifier] = splitModifier(path.at(-1)!)
  const [root = '', ...keys] = path.with(-1, last)
  const value = ({ request }: Input) =>
    findValueByKeys(root === 'headers' ? request.headers() : request[root as 'body'], keys)
  if (modifier === 'isset')
    return makeIssetResult((input) => (value(input) === undefined ? 0n : 1n))
  if (modifier !== '' && modifier !== 'lower')
    throw new FilterError(`invalid modifier sequence ${last}:${modifier}`)
  const field = context.catalog.field(context.base.collection, last)
  const storage = field && findFieldStorage(field)
  const slot: Slot = (input) => toRequestScalar(value(input), storage)
  if (modifier === 'lower') return lowerOperand(slot)
  return makeParameter(slot, keys.length > 0 ? MIXED : TEXT)
}

export function findValueByKeys(value: unknown, keys: readonly string[]): unknown {
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) ? !/^\+?\d+$/.test(key) : !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[Array.isArray(value) ? Number(key) : key]
  }
  return value
}

const NUMERIC = /^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

/** A request value; lists and objects as JSON text. For a number, numeric text becomes a number. */
export function toRequestScalar(value: unknown, storage: Storage | undefined): Scalar {
  if (value === undefined || value === null) return null
  if (typeof value === 'string')
    return storage === 'number' && NUMERIC.test(value) && Number.isFinite(Number(value))
      ? Number(value)
      : value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  // keeps the order of keys, to equal stored points
  return storage === 'geo' ? JSON.stringify(value) : writeSortedJson(value)
}
