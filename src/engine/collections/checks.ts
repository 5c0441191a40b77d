import { isIP } from 'node:net'
import {
  badRequest,
  type ErrorData,
  type FieldError,
  fieldError,
} from '../../platform/api-errors.ts'
import { isEmail, isUrl } from '../fields/address.ts'
import { compareBytes } from '../fields/json-text.ts'
import { patternError } from '../fields/pattern.ts'

/** The error of a value, or its errors by key; undefined if it is valid. */
export type Problem = FieldError | ErrorData | undefined

/** A check of a value. Most checks accept empty values. PocketBase: ozzo-validation */
export type Check = (value: unknown) => Problem

export function check(value: unknown, ...checks: readonly Check[]): Problem {
  for (const one of checks) {
    const problem = one(value)
    if (problem) return problem
  }
}

export function all(problems: { readonly [key: string]: Problem }): ErrorData | undefined {
  const found = Object.entries(problems).filter(([, problem]) => problem !== undefined)
  found.sort(([a], [b]) => compareBytes(a, b))
  return found.length > 0 ? (Object.fromEntries(found) as ErrorData) : undefined
}

export const byPlace = <T>(items: readonly T[] | null, problem: (item: T) => Problem): Problem =>
  all(Object.fromEntries((items ?? []).map((item, i) => [i, problem(item)])))

const isEmpty = (value: unknown) =>
  value === '' ||
  value === 0 ||
  value === false ||
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0)

const unlessEmpty =
  (check: Check): Check =>
  (value) =>
    isEmpty(value) ? undefined : check(value)

const demand = (
  holds: (value: never) => boolean,
  code: string,
  message: string,
  params?: Record<string, unknown>,
): Check =>
  unlessEmpty((value) => (holds(value as never) ? undefined : fieldError(code, message, params)))

export const required: Check = (value) =>
  isEmpty(value) ? fieldError('validation_required', 'cannot be blank') : undefined

export const blank = demand(() => false, 'validation_empty', 'must be blank')

export const when = (condition: boolean, check: Check): Check =>
  condition ? check : () => undefined

/** Checks a text's length in bytes of UTF-8. */
export function length(min: number, max: number): Check {
  const holds = (text: string) => Buffer.byteLength(text) >= min && Buffer.byteLength(text) <= max
  if (min === max)
    return demand(holds, 'validation_length_invalid', `the length must be exactly ${min}`, {
      max,
      min,
    })
  const message = `the length must be between ${min} and ${max}`
  return demand(holds, 'validation_length_out_of_range', message, { max, min })
}

export const notLonger = (max: number): Check =>
  demand(
    (value: string | readonly unknown[]) =>
      (typeof value === 'string' ? Buffer.byteLength(value) : value.length) <= max,
    'validation_length_too_long',
    `the length must be no more than ${max}`,
    { max, min: 0 },
  )

export const atLeast = (threshold: number): Check =>
  demand(
    (value: number) => value >= threshold,
    'validation_min_greater_equal_than_required',
    `must be no less than ${threshold}`,
    { threshold },
  )

export const atMost = (threshold: number): Check =>
  demand(
    (value: number) => value <= threshold,
    'validation_max_less_equal_than_required',
    `must be no greater than ${threshold}`,
    { threshold },
  )

export const allowOnly = (allowed: readonly string[], message = 'must be a valid value'): Check =>
  demand((value: string) => allowed.includes(value), 'validation_in_invalid', message)

export const refuseListed = (refused: readonly string[]): Check =>
  demand(
    (value: string) => !refused.includes(value),
    'validation_not_in_invalid',
    'must not be in list',
  )

export const matches = (pattern: RegExp): Check =>
  demand(
    (value: string) => pattern.test(value),
    'validation_match_invalid',
    'must be in a valid format',
  )

/** Makes a check that returns this error, if there is one, for every value that is not empty. */
export const failedBefore = (error: FieldError | undefined): Check => unlessEmpty(() => error)

export const equals =
  (other: unknown): Check =>
  (value) =>
    value === other ? undefined : fieldError('validation_values_mismatch', "values don't match")

export const email = demand(isEmail, 'validation_is_email', 'must be a valid email address')
export const url = demand(isUrl, 'validation_is_url', 'must be a valid URL')

const DNS_NAME = /^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$/
export const host = demand(
  (text: string) =>
    isIP(text) > 0 || (DNS_NAME.test(text) && text.replaceAll('.', '').length <= 255),
  'validation_is_host',
  'must be a valid IP address or DNS name',
)
export const hexColor = demand(
  (text: string) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  'validation_is_hex_color',
  'must be a valid hexadecimal color code',
)

/** An IP address or a subnet such as `10.0.0.0/8`. The error code is misspelt as in PocketBase. */
export const ipOrSubnet = demand(
  isIpOrSubnet,
  'validation_invlaid_ip_or_subnet',
  'invalid IP or CIDR subnet',
)

function isIpOrSubnet(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  if (bits === undefined) return true
  return (
    /^(0|[1-9]\d{0,2})$/.test(bits) &&
    Number(bits) <= (version === 4 ? 32 : 128) &&
    !address.includes('%')
  )
}

export const each =
  (...checks: readonly Check[]): Check =>
  (items) =>
    byPlace(items as unknown[], (item) => check(item, ...checks))

/** Checks each field of an object, also in nested objects. Returns the first error of each field. */
export const fields =
  (checks: Checks): Check =>
  (object) => {
    const problems = Object.entries(checks).map(([name, own]) => {
      const value = (object as Record<string, unknown>)[name]
      return [name, Array.isArray(own) ? check(value, ...own) : fields(own as Checks)(value)]
    })
    return all(Object.fromEntries(problems))
  }

interface Checks {
  readonly [name: string]: readonly Check[] | Checks
}

/** Throws 400 with all field errors if a submitted object is invalid. */
export function checkFields(
  object: object,
  checks: Checks,
  message = 'An error occurred while validating the submitted data.',
): void {
  const errors = fields(checks)(object)
  if (errors) throw badRequest(message, errors as ErrorData)
}

export const isNull: Check = (value) =>
  value === null ? undefined : fieldError('validation_nil', 'must be blank')

export const nullOrFilled: Check = (value) =>
  value === '' ? fieldError('validation_nil_or_not_empty_required', 'cannot be blank') : undefined

export const isWord = matches(/^\w+$/)

export const isPattern: Check = (value) => {
  const problem = value ? patternError(String(value)) : undefined
  return problem === undefined ? undefined : fieldError('validation_invalid_regex', problem)
}

/** Refuses `_via_` in names, because filters use it for back relations. */
export const noVia: Check = (value) =>
  String(value).toLowerCase().includes('_via_')
    ? fieldError('validation_found_via', 'The value cannot contain "_via_".')
    : undefined
