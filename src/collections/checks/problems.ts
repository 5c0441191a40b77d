import { type ErrorData, type FieldError, fieldError } from '../../errors.ts'
import { patternError } from '../../fields/values/pattern.ts'
import { type Check, matches } from './checks.ts'

/** What is wrong with a part of a collection: one error, or errors by key; undefined when nothing is. */
export type Problem = FieldError | ErrorData | undefined

/** The first problem that any of the checks has with a value. */
export function check(value: unknown, ...checks: readonly Check[]): Problem {
  for (const one of checks) {
    const problem = one(value)
    if (problem) return problem
  }
}

/** Problems by key, sorted, without the keys that have none; undefined if none is left. */
export function all(problems: { readonly [key: string]: Problem }): ErrorData | undefined {
  const found = Object.entries(problems).filter(([, problem]) => problem !== undefined)
  found.sort(([a], [b]) => (a < b ? -1 : 1))
  return found.length > 0 ? (Object.fromEntries(found) as ErrorData) : undefined
}

/** The problems of a list's items, by their place. */
export const byPlace = <T>(items: readonly T[] | null, problem: (item: T) => Problem): Problem =>
  all(Object.fromEntries((items ?? []).map((item, i) => [i, problem(item)])))

/** Nothing but null. */
export const isNull: Check = (value) =>
  value === null ? undefined : fieldError('validation_nil', 'must be blank')

/** Null, or a text with something in it. */
export const nullOrFilled: Check = (value) =>
  value === '' ? fieldError('validation_nil_or_not_empty_required', 'cannot be blank') : undefined

/** A name that is a word: of a collection, a field, an id. */
export const isWord = matches(/^\w+$/)

/** A regular expression in Go's syntax. */
export const isPattern: Check = (value) => {
  const problem = value ? patternError(String(value)) : undefined
  return problem === undefined ? undefined : fieldError('validation_invalid_regex', problem)
}

/** `_via_` stands for back relations in filters. */
export const noVia: Check = (value) =>
  String(value).toLowerCase().includes('_via_')
    ? fieldError('validation_found_via', 'The value cannot contain "_via_".')
    : undefined
