import { SEPARATORS, toPlainText } from './plain-text.ts'

/** Narrows Unicode down quickly: no other character can be a digit of a number, or lie between two digits. */
const CANDIDATE = /[\p{Nd}\s\p{P}\p{Sk}\p{Sm}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u
/** Two planes with all scripts, and invisible marks. Postgres has no character 0. */
const RANGES = [
  [1, 0x1ffff],
  [0xe0000, 0xe0fff],
] as const

interface Classes {
  /** For each digit from 0 to 9 its characters in all scripts. */
  readonly digits: readonly string[]
  /** Separators, pluses, brackets and invisible marks. */
  readonly between: string
}

let known: Classes | undefined

/**
 * The characters that the reader of phone numbers reads as digits, and those that it ignores between digits.
 * Both are written for `[…]` in a regular expression of Postgres.
 */
export function findCharacterClasses(): Classes {
  known ??= findClasses()
  return known
}

function findClasses(): Classes {
  const digits = Array.from({ length: 10 }, () => '')
  const between: number[] = []
  for (const [first, last] of RANGES)
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      if (!CANDIDATE.test(character)) continue
      const plain = toPlainText(character).replace(SEPARATORS, '')
      if (/^\d$/.test(plain)) digits[Number(plain)] += character
      else if (plain === '' || plain === '+') between.push(code)
    }
  return { digits, between: writeRanges(between) }
}

const escapeCode = (code: number) =>
  code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`

function writeRanges(codes: readonly number[]): string {
  let text = ''
  for (const [i, code] of codes.entries()) {
    const isFirst = codes[i - 1] !== code - 1
    const isLast = codes[i + 1] !== code + 1
    if (isFirst || isLast) text += `${isFirst ? '' : '-'}${escapeCode(code)}`
  }
  return text
}
