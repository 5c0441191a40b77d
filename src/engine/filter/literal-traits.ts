import {
  classifyScalar,
  formatGoText,
  type Scalar,
  type ScalarKind,
  toNumericScalar,
} from './convert-scalars.ts'
import { isBrokenPattern, makeLikePattern } from './like-pattern.ts'

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
export const TEXT_TRAITS: Traits = { ...MIXED, kind: 'text' }

export const NUMBER_TRAITS: Traits = { ...MIXED, kind: 'number', numeric: 'number' }

export function deriveTraits(value: Scalar): Traits {
  const kind = classifyScalar(value)
  const converted = toNumericScalar(value)
  const numeric = classifyScalar(converted)
  const number = Number(converted)
  return {
    kind,
    numeric,
    bit: numeric === 'number' && (number === 0 || number === 1) ? number : undefined,
    pattern: derivePatternTrait(makeLikePattern(formatGoText(value))),
    isPlainText: typeof converted === 'string' && value !== 'true' && value !== 'false',
  }
}

function derivePatternTrait(pattern: string): Traits['pattern'] {
  if (isBrokenPattern(pattern)) return 'broken'
  if (pattern.includes('Σ')) return 'sigma'
  // only ASCII letters are folded, as in SQLite
  return /[a-z]/i.test(pattern) ? 'letters' : 'plain'
}
