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
