import { fieldError } from '../../errors.ts'
import type { FieldOf, FieldType } from '../field.ts'
import { parseNumber, readBool, toBool, toNumber } from '../values/cast.ts'
import { required } from './text.ts'

export const noInteger = () => fieldError('validation_only_int_constraint', 'Decimal numbers are not allowed')
export const tooSmall = (min: number) =>
  fieldError('validation_min_number_constraint', `Must be greater or equal than ${formatNumber(min)}`, {
    min,
  })

/** `number`: options `min`, `max`, `onlyInt`; 0 passes all. PocketBase: core/field_number.go */
export const number: FieldType<FieldOf<'number'>> = {
  column: () => 'double precision not null default 0',
  zero: () => 0,
  fromInput: (_, raw) => toNumber(raw),
  // not null: a client may mean "unlimited" by it, and it would become 0
  accepts: (raw) => typeof raw === 'number' || (typeof raw === 'string' && parseNumber(raw) !== undefined),
  expected: 'a number',
  check({ required: isRequired, onlyInt, min, max }, value) {
    const number = value as number
    if (!Number.isFinite(number))
      return fieldError('validation_not_a_number', 'The submitted number is not properly formatted')
    if (number === 0) return isRequired ? required() : undefined
    if (onlyInt && !isInt64(number)) return noInteger()
    if (min !== null && number < min) return tooSmall(min)
    if (max === null || number <= max) return undefined
    const text = `Must be less or equal than ${formatNumber(max)}`
    return fieldError('validation_max_number_constraint', text, { max })
  },
}

/** A number for an error message, as Go prints it: 123456, but 1e+06. */
export function formatNumber(value: number): string {
  const [digits, power = ''] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 6) return String(value)
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Whether the number fits int64, which is how PocketBase tests for an integer. */
export const isInt64 = (value: number) => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63

/** `bool`: required means true. PocketBase: core/field_bool.go */
export const bool: FieldType<FieldOf<'bool'>> = {
  column: () => 'boolean not null default false',
  zero: () => false,
  fromInput: (_, raw) => toBool(raw),
  accepts: (raw) =>
    typeof raw === 'boolean' || [0, 1].includes(raw as number) || readBool(raw as string) !== undefined,
  expected: 'true or false',
  check: (field, value) => (field.required && !value ? required() : undefined),
}
