import { type ErrorData, type FieldError, fieldError } from '../../errors.ts'
import { patternError } from '../../fields/values/pattern.ts'
import { type Check, matches } from './checks.ts'

/** What is wrong with a part of a collection: one error, or errors by key; undefined if valid. */
export type Problem = FieldError | ErrorData | undefined

/** The first problem that a check finds. */
export function check(value: unknown, ...checks: readonly Check[]): Problem {
  for (const one of checks) {
    const problem = one(value)
    if (problem) return problem
  }
}

/** Problems by key, sorted; undefined if there are none. */
export function all(problems: { readonly [key: string]: Problem }): ErrorData | undefined {
  const found = Object.entries(problems).filter(([, problem]) => problem !== undefined)
  found.sort(([a], [b]) => (a < b ? -1 : 1))
  return found.length > 0 ? (Object.fromEntries(found) as ErrorData) : undefined
}

/** Problems of a list's items by index. */
export const byPlace = <T>(items: readonly T[] | null, problem: (item: T) => Problem): Problem =>
  all(Object.fromEntries((items ?? []).map((item, i) => [i, problem(item)])))

export const isNull: Check = (value) =>
  value === null ? undefined : fieldError('validation_nil', 'must be blank')

/** Null or a non-empty text. */
export const nullOrFilled: Check = (value) =>
  value === '' ? fieldError('validation_nil_or_not_empty_required', 'cannot be blank') : undefined

/** The form of names and ids of collections and fields. */
export const isWord = matches(/^\w+$/)

/** A regular expression in Go's syntax. */
export const isPattern: Check = (value) => {
  const problem = value ? patternError(String(value)) : undefined
  return problem === undefined ? undefined : fieldError('validation_invalid_regex', problem)
}

/** `_via_` marks back relations in filters. */
export const noVia: Check = (value) =>
  String(value).toLowerCase().includes('_via_')
    ? fieldError('validation_found_via', 'The value cannot contain "_via_".')
    : undefined
