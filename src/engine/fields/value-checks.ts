import { isIP } from 'node:net'
import {
  badRequest,
  type ErrorData,
  type FieldError,
  makeFieldError,
} from '../../platform/api-errors.ts'
import { isEmail } from './email.ts'
import { compareBytes } from './json-text.ts'
import { findPatternError } from './regex-patterns.ts'
import { isUrl } from './url.ts'

// Checks of PocketBase's own forms and settings, with its codes, words and order of errors, which its clients
// show by field. zod checks all other bodies.

/** The error of a value, or its errors by key; undefined if it is valid. */
export type Problem = FieldError | ErrorData | undefined

/** A check of a value. Most checks accept empty values. PocketBase: ozzo-validation */
export type Check = (value: unknown) => Problem

export function runChecks(value: unknown, ...checks: readonly Check[]): Problem {
  for (const one of checks) {
    const problem = one(value)
    if (problem) return problem
  }
}

export function collectProblems(problems: {
  readonly [key: string]: Problem
}): ErrorData | undefined {
  const found = Object.entries(problems).filter(([, problem]) => problem !== undefined)
  found.sort(([a], [b]) => compareBytes(a, b))
  return found.length > 0 ? (Object.fromEntries(found) as ErrorData) : undefined
}

export const checkItems = <T>(items: readonly T[] | null, problem: (item: T) => Problem): Problem =>
  collectProblems(Object.fromEntries((items ?? []).map((item, i) => [i, problem(item)])))

const isEmptyValue = (value: unknown) =>
  value === '' ||
  value === 0 ||
  value === false ||
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0)

const skipIfEmpty =
  (check: Check): Check =>
  (value) =>
    isEmptyValue(value) ? undefined : check(value)

const makeCheck = (
  holds: (value: never) => boolean,
  code: string,
  message: string,
  params?: Record<string, unknown>,
): Check =>
  skipIfEmpty((value) =>
    holds(value as never) ? undefined : makeFieldError(code, message, params),
  )

export const checkRequired: Check = (value) =>
  isEmptyValue(value) ? makeFieldError('validation_required', 'cannot be blank') : undefined

export const blank = makeCheck(() => false, 'validation_empty', 'must be blank')

export const checkWhen = (condition: boolean, check: Check): Check =>
  condition ? check : () => undefined

/** Checks a text's length in bytes of UTF-8. */
export function checkLength(min: number, max: number): Check {
  const holds = (text: string) => Buffer.byteLength(text) >= min && Buffer.byteLength(text) <= max
  if (min === max)
    return makeCheck(holds, 'validation_length_invalid', `the length must be exactly ${min}`, {
      max,
      min,
    })
  const message = `the length must be between ${min} and ${max}`
  return makeCheck(holds, 'validation_length_out_of_range', message, { max, min })
}

export const checkMaxLength = (max: number): Check =>
  makeCheck(
    (value: string | readonly unknown[]) =>
      (typeof value === 'string' ? Buffer.byteLength(value) : value.length) <= max,
    'validation_length_too_long',
    `the length must be no more than ${max}`,
    { max, min: 0 },
  )

export const checkMinimum = (threshold: number): Check =>
  makeCheck(
    (value: number) => value >= threshold,
    'validation_min_greater_equal_than_required',
    `must be no less than ${threshold}`,
    { threshold },
  )

export const checkMaximum = (threshold: number): Check =>
  makeCheck(
    (value: number) => value <= threshold,
    'validation_max_less_equal_than_required',
    `must be no greater than ${threshold}`,
    { threshold },
  )

export const checkAllowed = (
  allowed: readonly string[],
  message = 'must be a valid value',
): Check => makeCheck((value: string) => allowed.includes(value), 'validation_in_invalid', message)

export const checkNotListed = (refused: readonly string[]): Check =>
  makeCheck(
    (value: string) => !refused.includes(value),
    'validation_not_in_invalid',
    'must not be in list',
  )

export const checkPattern = (pattern: RegExp): Check =>
  makeCheck(
    (value: string) => pattern.test(value),
    'validation_match_invalid',
    'must be in a valid format',
  )

/** Makes a check that returns this error, if there is one, for every value that is not empty. */
export const failWith = (error: FieldError | undefined): Check => skipIfEmpty(() => error)

export const checkEquals =
  (other: unknown): Check =>
  (value) =>
    value === other ? undefined : makeFieldError('validation_values_mismatch', "values don't match")

export const checkEmail = makeCheck(isEmail, 'validation_is_email', 'must be a valid email address')
export const checkUrl = makeCheck(isUrl, 'validation_is_url', 'must be a valid URL')

const DNS_NAME = /^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$/
export const host = makeCheck(
  (text: string) =>
    isIP(text) > 0 || (DNS_NAME.test(text) && text.replaceAll('.', '').length <= 255),
  'validation_is_host',
  'must be a valid IP address or DNS name',
)
export const hexColor = makeCheck(
  (text: string) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  'validation_is_hex_color',
  'must be a valid hexadecimal color code',
)

/** An IP address or a subnet such as `10.0.0.0/8`. The error code is misspelt as in PocketBase. */
export const ipOrSubnet = makeCheck(
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

export const checkEach =
  (...checks: readonly Check[]): Check =>
  (items) =>
    checkItems(items as unknown[], (item) => runChecks(item, ...checks))

/** Checks each field of an object, also in nested objects. Returns the first error of each field. */
export const checkObject =
  (checks: Checks): Check =>
  (object) => {
    const problems = Object.entries(checks).map(([name, own]) => {
      const value = (object as Record<string, unknown>)[name]
      return [
        name,
        Array.isArray(own) ? runChecks(value, ...own) : checkObject(own as Checks)(value),
      ]
    })
    return collectProblems(Object.fromEntries(problems))
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
  const errors = checkObject(checks)(object)
  if (errors) throw badRequest(message, errors as ErrorData)
}

export const checkNull: Check = (value) =>
  value === null ? undefined : makeFieldError('validation_nil', 'must be blank')

export const checkNullOrFilled: Check = (value) =>
  value === ''
    ? makeFieldError('validation_nil_or_not_empty_required', 'cannot be blank')
    : undefined

export const isWord = checkPattern(/^\w+$/)

export const checkIsPattern: Check = (value) => {
  const problem = value ? findPatternError(String(value)) : undefined
  return problem === undefined ? undefined : makeFieldError('validation_invalid_regex', problem)
}

/** Refuses `_via_` in names, because filters use it for back relations. */
export const checkNoVia: Check = (value) =>
  String(value).toLowerCase().includes('_via_')
    ? makeFieldError('validation_found_via', 'The value cannot contain "_via_".')
    : undefined
