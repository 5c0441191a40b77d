import { findFieldStorage } from '../fields/field-types.ts'
import { splitModifier } from './field-operand.ts'
import type { Context } from './filter-row.ts'
import { convertValue, type KnownValue, makeKnownValue, type RequestPart } from './known-value.ts'
import { MIXED, TEXT_TRAITS } from './literal-traits.ts'
import { makeIssetResult, makeParameter, type Operand } from './operand.ts'
import { FilterError } from './parse-filter.ts'

export const lowerOperand = (value: KnownValue): Operand =>
  makeParameter(convertValue(value, 'lower'), MIXED, {
    pattern: convertValue(value, 'pattern', 'lower'),
  })

/** Resolves a path into a part of the request. Its name was checked: see NAMES in resolve-token.ts. */
export function resolveValue(context: Context, path: readonly string[]): Operand {
  const [last, modifier] = splitModifier(path.at(-1)!)
  const [root = '', ...keys] = path.with(-1, last)
  const value = makeKnownValue({ kind: root as RequestPart, keys })
  if (modifier === 'isset') return makeIssetResult(convertValue(value, 'isset'))
  if (modifier !== '' && modifier !== 'lower')
    throw new FilterError(`invalid modifier sequence ${last}:${modifier}`)
  const field = context.catalog.field(context.base.collection, last)
  const storage = field && findFieldStorage(field)
  const scalar = convertValue(
    value,
    storage === 'number' ? 'numberScalar' : storage === 'geo' ? 'geoScalar' : 'scalar',
  )
  if (modifier === 'lower') return lowerOperand(scalar)
  return makeParameter(scalar, keys.length > 0 ? MIXED : TEXT_TRAITS)
}
