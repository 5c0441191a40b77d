import { formatExponent, formatPlainNumber } from '../fields/convert-values.ts'

/** A SQLite value: `number` is REAL, `bigint` and `boolean` are INTEGER. `~` reads booleans as text. */
export type Scalar = null | string | number | bigint | boolean

export type ScalarKind = 'null' | 'empty' | 'text' | 'number'

export function classifyScalar(value: Scalar): ScalarKind {
  if (value === null) return 'null'
  if (typeof value !== 'string') return 'number'
  return value === '' ? 'empty' : 'text'
}

/** Matches text that SQLite converts to a number when it is compared with a number column. */
const NUMERIC = /^[ \t\n\v\f\r]*[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?[ \t\n\v\f\r]*$/i

/** Applies SQLite's numeric affinity: text that looks like a number becomes a number. */
export const toNumericScalar = (value: Scalar): Scalar =>
  typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value

/** Matches text that SQLite takes for true: it begins with a number other than 0. Also used in SQL. */
export const TRUE_TEXT = /^[ \t-\r]*[-+]?0*(\.0*)?[1-9]/

/** The value as SQLite converts it to text, by text affinity, `CAST(… AS TEXT)` or LIKE. */
export function formatScalar(value: Scalar): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return formatReal(value)
  return String(Number(value))
}

/** The text for which `~` searches: the value as Go's cast.ToString writes it. */
export const formatGoText = (value: Scalar): string =>
  typeof value === 'number' ? formatPlainNumber(value) : value === null ? '' : String(value)

/** A REAL as text with 15 digits, 17 if needed, and always a decimal point. SQLite: printf("%!.15g") */
function formatReal(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf'
  const short = value.toExponential(14)
  const [mantissa = '', power = '0'] = (
    Number(short) === value ? short : value.toExponential(16)
  ).split('e')
  const sign = value < 0 ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '')
  const exponent = Number(power)
  if (value === 0) return '0.0'
  if (exponent < -4 || exponent > 16)
    return `${sign}${insertPoint(digits, 1)}e${formatExponent(exponent)}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  return sign + insertPoint(digits, exponent + 1)
}

const insertPoint = (digits: string, whole: number) =>
  `${digits.slice(0, whole).padEnd(whole, '0')}.${digits.slice(whole) || '0'}`

/** Lowers ASCII letters only, as SQLite's LOWER() and LIKE do. */
export const lowerAscii = (text: string) =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
