import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** What a value must be, by zod's name of its type, where its schema does not say it. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

/** Zod's error map: the end of a sentence, '' for a union, whose members say it. */
export function inPlainWords(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_union') return ''
  const type = issue.code === 'invalid_type' && TYPES[String(issue.expected)]
  return type ? `must be ${type}` : 'has a value that is not allowed'
}

/** Describes a fault of `raw`: `items[2].attempt must be a whole number`. `place`: its path in the body. */
export function describeFault(issue: Issue, raw: unknown, place: Path = []): string {
  if (issue.code === 'invalid_union' && issue.message === '')
    return describeFault(likeliest(issue, raw), raw, place)
  const path = [...place, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return `${nameOf([...path, issue.keys[0]!])} is not a field of this request`
  if (path.length > 0) return `${nameOf(path)} ${isMissing(raw, issue.path) ? 'is required' : issue.message}`
  if (issue.code !== 'invalid_type') return `The body ${issue.message}`
  return `The body must be a JSON ${issue.expected === 'array' ? 'list' : 'object'}`
}

const nameOf = (path: Path): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')

/** The union member that was meant: a fault in present values first, then the deepest, then the last. */
function likeliest(issue: z.core.$ZodIssueInvalidUnion, raw: unknown): Issue {
  const first = issue.errors.flatMap(([fault]) =>
    fault ? [{ ...fault, path: [...issue.path, ...fault.path] }] : [],
  )
  const rank = ({ path }: Issue) => (isMissing(raw, path) ? 0 : 1_000) + path.length
  return first.reduce((best, fault) => (rank(fault) >= rank(best) ? fault : best))
}

function isMissing(raw: unknown, path: Path): boolean {
  let at = raw
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true
    at = (at as Record<PropertyKey, unknown>)[key]
  }
  return false
}
