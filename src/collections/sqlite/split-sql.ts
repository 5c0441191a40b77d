/** A quote or parenthesis that is not closed. */
export class UnbalancedError extends Error {
  override name = 'UnbalancedError'
}

const QUOTES = '\'"`'

/** Splits SQL outside quotes and parentheses, trimmed. Throws an UnbalancedError. PocketBase: tokenizer */
export function splitSql(sql: string, separators: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  let quote = ''
  let before = ''
  for (const char of sql) {
    if (before !== '\\') {
      if (char === quote) quote = ''
      else if (quote === '' && QUOTES.includes(char)) quote = char
      else if (quote === '' && char === '(') depth++
      else if (quote === '' && char === ')' && depth > 0) depth--
    }
    if (depth === 0 && quote === '' && separators.includes(char)) {
      parts.push(part)
      part = ''
    } else part += char
    before = char
  }
  if (depth > 0 || quote !== '')
    throw new UnbalancedError(`unbalanced parenthesis or quoted expression: "${part}"`)
  return [...parts, part].map((text) => text.trim()).filter((text) => text !== '')
}
