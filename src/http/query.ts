/** The first value of each query parameter. As in Go, drops pairs with a malformed escape or a semicolon. */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start < 0) return {}
  const values = new Map<string, string>()
  for (const [key, value] of readPairs(url.slice(start + 1)))
    if (!values.has(key)) values.set(key, value)
  return Object.fromEntries(values)
}

/** Whether a query or form has pairs that `readPairs` drops. As in Go, such a form is refused. */
export const isMalformedQuery = (text: string): boolean =>
  text.includes(';') || (text.includes('%') && text.replace(ESCAPE, '').includes('%'))

export function readPairs(text: string): [string, string][] {
  const pairs: [string, string][] = []
  for (const part of text.split('&')) {
    if (part === '' || part.includes(';')) continue
    const cut = part.indexOf('=')
    const key = unescapeText(cut < 0 ? part : part.slice(0, cut))
    const value = cut < 0 ? '' : unescapeText(part.slice(cut + 1))
    if (key !== undefined && value !== undefined) pairs.push([key, value])
  }
  return pairs
}

const ESCAPE = /%[0-9a-fA-F]{2}/g

/** Decodes `+` and %-escapes; undefined for a malformed escape. Bytes that are not UTF-8 become U+FFFD. */
function unescapeText(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  if (spaced.replace(ESCAPE, '').includes('%')) return undefined
  try {
    return decodeURIComponent(spaced)
  } catch {
    const bytes = spaced.replace(ESCAPE, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    )
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
}

/** The query of a URL. As in Go, its parameters count as fields of a form body. */
export const readQueryText = (url: string) => url.split(/\?(.*)/s)[1] ?? ''
