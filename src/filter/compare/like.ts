/** The pattern of `~`: the text if it has an unescaped `%`, else `%text%`. PocketBase: wrapLikeParams */
export const likePattern = (text: string): string =>
  /^(?:[^\\%]|\\.)*%/su.test(text) ? text : `%${escapeUnescaped(text)}%`

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
