import { cleanText } from '../../platform/tools/clean-text.ts'
import { toText, toTexts } from '../fields/convert-values.ts'
import type { Value } from '../fields/field.ts'
import { writeSortedJson } from '../fields/json-text.ts'
import type { RequestInfo } from '../request/request.ts'
import {
  classifyScalar,
  formatGoText,
  formatScalar,
  lowerAscii,
  type Scalar,
  toNumericScalar,
} from './convert-scalars.ts'
import { MACROS } from './date-macros.ts'
import { writeFoldedPattern } from './folded-pattern.ts'
import { isBrokenPattern, makeLikePattern } from './like-pattern.ts'
import type { Literal } from './parse-filter.ts'

/** Where a value that is known before the query is found. */
export type ValueSource =
  /** The same for all requests, such as a literal of a rule. */
  | { readonly kind: 'constant'; readonly value: unknown }
  /** A literal of the client's filter, by its place in the filter; `pattern`: as the right side of `~`. */
  | {
      readonly kind: 'literal'
      readonly index: Literal['index']
      readonly part: 'value' | 'pattern'
    }
  /** A date macro, such as `@todayStart`. */
  | { readonly kind: 'now'; readonly macro: string }
  /** A part of the request; `keys` lead into its lists and objects. */
  | { readonly kind: RequestPart; readonly keys: readonly string[] }
  /** A field of the caller's record, or of the record that is not stored yet. */
  | { readonly kind: 'auth' | 'candidate'; readonly field: string; readonly absent: Value }

export type RequestPart = 'context' | 'method' | 'body' | 'query' | 'headers'

/** A source and the conversions on the way from there to Postgres. */
export interface KnownValue {
  readonly source: ValueSource
  readonly steps: readonly Step[]
}

export const makeKnownValue = (source: ValueSource, ...steps: Step[]): KnownValue => ({
  source,
  steps,
})

export const convertValue = ({ source, steps }: KnownValue, ...more: Step[]): KnownValue => ({
  source,
  steps: [...steps, ...more],
})

export interface Input {
  readonly request: RequestInfo
  readonly literals: readonly { readonly value: Scalar; readonly pattern: string }[]
  readonly candidate: Readonly<Record<string, Value>>
  readonly now: Date
}

/** The value that Postgres gets for a parameter of this request. */
export function bindParameter({ source, steps }: KnownValue, input: Input): unknown {
  let value = findSourceValue(source, input)
  for (const step of steps) value = STEPS[step](value as never)
  return value
}

function findSourceValue(
  source: ValueSource,
  { request, literals, candidate, now }: Input,
): unknown {
  switch (source.kind) {
    case 'constant':
      return source.value
    case 'literal':
      return literals[source.index]![source.part]
    case 'now':
      return MACROS.get(source.macro)!(now)
    case 'auth':
      return findAuthValue(request.auth, source.field) ?? source.absent
    case 'candidate':
      return candidate[source.field] ?? source.absent
    case 'headers':
      return findValueByKeys(request.headers(), source.keys)
    default:
      return findValueByKeys(request[source.kind], source.keys)
  }
}

const findAuthValue = (auth: RequestInfo['auth'], field: string) =>
  field === 'id' ? auth?.id : auth?.values[field]

function findValueByKeys(value: unknown, keys: readonly string[]): unknown {
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) ? !/^\+?\d+$/.test(key) : !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[Array.isArray(value) ? Number(key) : key]
  }
  return value
}

/** The conversions of a known value, by name. Each takes what the one before returned. */
const STEPS = {
  /** A request value as a scalar; lists and objects become JSON text. */
  scalar: (value: unknown): Scalar => toScalar(value, writeSortedJson),
  /** As `scalar`; the order of keys stays, to equal stored points. */
  geoScalar: (value: unknown): Scalar => toScalar(value, JSON.stringify),
  /** As `scalar`; the text of a number becomes the number. */
  numberScalar: (value: unknown): Scalar =>
    typeof value === 'string' && NUMERIC.test(value) && Number.isFinite(Number(value))
      ? Number(value)
      : toScalar(value, writeSortedJson),
  fieldText: toText,
  /** Submitted ids as a field of relations stores them. */
  ids: (value: unknown): string[] => toTexts(value ?? null),
  /** A submitted list, or a single value as a list, as JSON. */
  jsonList: (value: unknown): string => writeSortedJson(toList(value)),
  listLength: (value: unknown): bigint => BigInt(toList(value).length),
  isPresent: (value: unknown): boolean => value !== undefined,
  /** The result of `:isset`. */
  isset: (value: unknown): bigint => (value === undefined ? 0n : 1n),
  /** A stored value without the characters that Postgres refuses in texts. */
  clean: (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : value),

  text: (value: Scalar): string | null => {
    const text = formatScalar(value)
    return text === null ? null : cleanText(text)
  },
  lower: (value: Scalar): string | null => {
    const text = formatScalar(value)
    return text === null ? null : lowerAscii(text)
  },
  number: (value: Scalar): number | null =>
    value === null || typeof value === 'string' ? null : Number(value),
  /** SQLite's numeric affinity: the text of a number becomes the number. */
  numeric: toNumericScalar,
  onlyText: (value: Scalar): string | null => (typeof value === 'string' ? value : null),
  /** Where SQLite sorts the value: null nowhere, numbers before texts. */
  rank: (value: Scalar): number | null => RANKS[classifyScalar(value)],
  orEmpty: (value: Scalar): Scalar => value ?? '',
  isEmpty: (value: Scalar): boolean => (value ?? '') === '',

  /** The right side of `~`. */
  pattern: (value: Scalar): string | null =>
    value === null ? null : makeLikePattern(formatGoText(value)),
  /** The right side of `~` for values whose own `%` means nothing. */
  wrapped: (value: Scalar): string | null => {
    const text = formatScalar(value)
    return text === null ? null : `%${text}%`
  },
  isBroken: (pattern: Scalar): boolean => isBroken(pattern),
  unlessBroken: (pattern: Scalar): Scalar => (isBroken(pattern) ? '' : pattern),
  /** The regular expression of `:fold`. */
  foldedPattern: writeFoldedPattern,
}

export type Step = keyof typeof STEPS

const NUMERIC = /^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

function toScalar(value: unknown, writeJson: (value: unknown) => string): Scalar {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return writeJson(value)
}

const toList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]

const RANKS = { null: null, number: 1, empty: 2, text: 2 } as const

const isBroken = (pattern: Scalar) => isBrokenPattern(formatScalar(pattern) ?? '')
