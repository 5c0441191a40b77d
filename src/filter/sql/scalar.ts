import type { Value } from '../../fields/field.ts'
import { plainNumber } from '../../fields/values/cast.ts'
import type { RequestInfo } from '../../request/request.ts'

/** A value as in SQLite: `number` REAL, `bigint` INTEGER, a bool an INTEGER spelled as in Go. */
export type Scalar = null | string | number | bigint | boolean

/** What a compiled condition gets its values from. */
export interface Input {
  readonly request: RequestInfo
  readonly literals: readonly { readonly value: Scalar; readonly pattern: string }[]
  readonly candidate: Readonly<Record<string, Value>>
  readonly now: Date
}

/** Where a parameter's value comes from. */
export type Slot = (input: Input) => Scalar

export type ScalarKind = 'null' | 'empty' | 'text' | 'number'

export function kindOf(value: Scalar): ScalarKind {
  if (value === null) return 'null'
  if (typeof value !== 'string') return 'number'
  return value === '' ? 'empty' : 'text'
}

/** Text that SQLite converts to a number when compared with a number column. */
const NUMERIC = /^[ \t\n\v\f\r]*[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?[ \t\n\v\f\r]*$/i

/** SQLite's numeric affinity: text that looks like a number becomes one. */
export const asNumeric = (value: Scalar): Scalar =>
  typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value

/** A text that begins with a number other than 0; Postgres reads it alike. */
export const TRUE_TEXT = /^[ \t-\r]*[-+]?0*(\.0*)?[1-9]/

/** SQLite's text affinity, `CAST(… AS TEXT)` and what LIKE sees. */
export function asText(value: Scalar): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return realText(value)
  return String(Number(value))
}

/** A value as Go's cast.ToString writes it: the text that `~` searches for. */
export const goText = (value: Scalar): string =>
  typeof value === 'number' ? plainNumber(value) : value === null ? '' : String(value)

/** A REAL as text with 15 or 17 digits and always a point. SQLite: printf("%!.15g") */
function realText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf'
  const short = value.toExponential(14)
  const [mantissa = '', power = '0'] = (Number(short) === value ? short : value.toExponential(16)).split('e')
  const sign = value < 0 ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '')
  const exponent = Number(power)
  if (value === 0) return '0.0'
  if (exponent < -4 || exponent > 16) return `${sign}${withPoint(digits, 1)}e${exponentText(exponent)}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  return sign + withPoint(digits, exponent + 1)
}

const withPoint = (digits: string, whole: number) =>
  `${digits.slice(0, whole).padEnd(whole, '0')}.${digits.slice(whole) || '0'}`

const exponentText = (exponent: number) =>
  (exponent < 0 ? '-' : '+') + String(Math.abs(exponent)).padStart(2, '0')

/** ASCII letters only, as SQLite's LOWER() and LIKE fold them. */
export const lowerAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
