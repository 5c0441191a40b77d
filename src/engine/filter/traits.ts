import { asNumeric, goText, kindOf, type Scalar, type ScalarKind } from './scalar.ts'

/** Properties of a parameter's value that decide the SQL. `mixed`: they depend on the request. */
export interface Traits {
  readonly kind: ScalarKind | 'mixed'
  /** The value's kind when it is compared with a number column. */
  readonly numeric: ScalarKind | 'mixed'
  /** For a value that equals a bool in SQLite: 0 or 1. Undefined for any other value. */
  readonly bit: number | undefined
  /** The kind of pattern for `~`. `broken` matches nothing, `sigma` has a Σ, `letters` has ASCII letters. */
  readonly pattern: 'broken' | 'sigma' | 'letters' | 'plain' | 'mixed'
  /** Whether only a JSON string can equal the value. */
  readonly isPlainText: boolean
}

export const MIXED: Traits = {
  kind: 'mixed',
  numeric: 'mixed',
  bit: undefined,
  pattern: 'mixed',
  isPlainText: false,
}
/** Traits of a request value that is always a non-empty text. */
export const TEXT: Traits = { ...MIXED, kind: 'text' }
export const NUMBER: Traits = { ...MIXED, kind: 'number', numeric: 'number' }

export function traitsOf(value: Scalar): Traits {
  const kind = kindOf(value)
  const converted = asNumeric(value)
  const numeric = kindOf(converted)
  const number = Number(converted)
  return {
    kind,
    numeric,
    bit: numeric === 'number' && (number === 0 || number === 1) ? number : undefined,
    pattern: patternTrait(likePattern(goText(value))),
    isPlainText: typeof converted === 'string' && value !== 'true' && value !== 'false',
  }
}

function patternTrait(pattern: string): Traits['pattern'] {
  if (isBrokenPattern(pattern)) return 'broken'
  if (pattern.includes('Σ')) return 'sigma'
  // only ASCII letters are folded, as in SQLite
  return /[a-z]/i.test(pattern) ? 'letters' : 'plain'
}

/** Whether a pattern ends in a lone backslash. Such a pattern never matches in SQLite. */
export const isBrokenPattern = (pattern: string) => /(?<!\\)(?:\\\\)*\\$/.test(pattern)

/** The pattern of `~`: the text if it has an unescaped `%`, else `%text%`. PocketBase: wrapLikeParams */
export const likePattern = (text: string): string =>
  /^(?:[^\\%]|\\.)*%/su.test(text) ? text : `%${escapeUnescaped(text)}%`

/** Escapes `%`, `_` and `\` that are not escaped yet. In `__` it escapes only the second, as PocketBase. */
function escapeUnescaped(text: string): string {
  let result = ''
  let special = false
  for (const char of [...text].reverse()) {
    if (special && char !== '\\') result = `\\${result}`
    special = !special && '\\%_'.includes(char)
    result = char + result
  }
  return special ? `\\${result}` : result
}
