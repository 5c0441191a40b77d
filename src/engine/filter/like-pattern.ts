/** Whether a pattern ends in a lone backslash. Such a pattern never matches in SQLite. */
export const isBrokenPattern = (pattern: string) => /(?<!\\)(?:\\\\)*\\$/.test(pattern)

/** The pattern of `~`: the text if it has an unescaped `%`, else `%text%`. PocketBase: wrapLikeParams */
export const makeLikePattern = (text: string): string =>
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
