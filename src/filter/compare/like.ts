import { lowerAscii } from '../sql/scalar.ts'

/** Whether the text contains a `%` without a backslash before it, and so is a pattern already. */
function hasWildcard(text: string): boolean {
  return /^(?:[^\\%]|\\.)*%/su.test(text)
}

/** The pattern of `~`: the text if it has a wildcard, else `%text%`. PocketBase: wrapLikeParams */
export function likePattern(text: string): string {
  if (hasWildcard(text)) return text
  return `%${escapeUnescaped(text)}%`
}

/** Puts a backslash before `\`, `%`, `_`. Like PocketBase it escapes only the second of `__`. */
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

/** SQLite never matches a pattern that ends in an unfinished escape. */
export const isBrokenPattern = (pattern: string) => /(?<!\\)(?:\\\\)*\\$/.test(pattern)

/** Whether case matters to a pattern: only ASCII letters are folded, as in SQLite. */
export const hasLetter = (pattern: string) => /[a-z]/i.test(pattern)

type Step = { readonly any: true } | { readonly any: false; readonly char: string; readonly one: boolean }

function steps(pattern: string): Step[] {
  const tokens = lowerAscii(pattern).match(/\\?./gsu) ?? []
  return tokens.map((token) => {
    if (token === '%') return { any: true }
    return {
      any: false,
      char: token.length > 1 && token[0] === '\\' ? token.slice(1) : token,
      one: token === '_',
    }
  })
}

/** SQLite's `text LIKE pattern ESCAPE '\'`. Backtracks to the last `%` only, so no pattern is slow. */
export function isLike(text: string, pattern: string): boolean {
  if (isBrokenPattern(pattern)) return false
  const chars = [...lowerAscii(text)]
  const parts = steps(pattern)
  let [at, part, lastAny, anyAt] = [0, 0, -1, 0]
  while (at < chars.length) {
    const step = parts[part]
    if (step && !step.any && (step.one || step.char === chars[at])) {
      at++
      part++
    } else if (step?.any) {
      lastAny = part++
      anyAt = at
    } else if (lastAny >= 0) {
      part = lastAny + 1
      at = ++anyAt
    } else return false
  }
  return parts.slice(part).every((step) => step.any)
}
