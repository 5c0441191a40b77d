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
