const QUOTES = '\'"`'
/** Characters trimmed from tokens, unless they are separators. PocketBase trims U+0085 and U+00A0, too. */
const BLANKS = '\t\n\v\f\r \u0085\u00a0'
const END = '\0'

/** White space in Go: includes U+0085 but not U+FEFF. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** Trims white space. Go: strings.TrimSpace */
export const trimSpace = (text: string) => trimEnds(text, (char) => SPACE.test(char))

/**
 * Splits a text at separators outside of quotes and, if `parentheses`, outside of parentheses. Trims tokens,
 * drops empty ones. Undefined if a quote or parenthesis stays open. PocketBase: tools/tokenizer/tokenizer.go
 */
export function splitTokens(
  text: string,
  separators: string,
  parentheses = true,
): string[] | undefined {
  const found: string[] = []
  let from = 0
  let depth = 0
  let quote = ''
  for (let i = 0; i <= text.length; i++) {
    const char = text[i] ?? END
    if (char === END && i === from) break
    if (text[i - 1] !== '\\' || i === from) {
      if (parentheses && quote === '' && char === '(') depth++
      else if (parentheses && quote === '' && char === ')' && depth > 0) depth--
      else if (QUOTES.includes(char)) quote = quote === '' ? char : quote === char ? '' : quote
    }
    const open = depth > 0 || quote !== ''
    if (char === END && open) return undefined
    if (char !== END && (open || !separators.includes(char))) continue
    const token = trimBlanks(text.slice(from, i), separators)
    if (token !== '') found.push(token)
    from = i + 1
  }
  return found
}

const trimBlanks = (text: string, separators: string) =>
  trimEnds(text, (char) => BLANKS.includes(char) && !separators.includes(char))

function trimEnds(text: string, isBlank: (char: string) => boolean): string {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text[from]!)) from++
  while (to > from && isBlank(text[to - 1]!)) to--
  return text.slice(from, to)
}
