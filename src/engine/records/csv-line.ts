/** Matches a cell that a spreadsheet would read as a formula, except phone numbers. OWASP: CSV injection */
const FORMULA = /^(?:[\t\r\n\ufeff]|[\s\p{Cc}\p{Cf}]*(?:[=@＝＠＋－﹦﹫﹢﹣-]|\+(?!\d+$)))/u

/** Matches a formula inside a text. Finds its sign first: a lookbehind at each blank takes quadratic time. */
const INNER_FORMULA =
  /(?=[=@＝＠＋－﹦﹫﹢﹣+-])(?<=[;\t\r\n][\s\p{Cc}\p{Cf}"']*)(?:[=@＝＠＋－﹦﹫﹢﹣]|-(?! )|\+(?!\d+(?:[\s;]|$)))/gu

const QUOTED = /[",\r\n]/

/** A line of CSV (RFC 4180). Joins lists by commas. Puts an apostrophe before a formula, to make it text. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

function cell(value: unknown): string {
  const text = textOf(value)
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return guarded(value)
  if (typeof value !== 'object') return String(value)
  const isPlain = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isPlain ? value.map(textOf).join(',') : guarded(JSON.stringify(value))
}

function guarded(text: string): string {
  const inner = text.replace(INNER_FORMULA, "'$&")
  return FORMULA.test(text) ? `'${inner}` : inner
}
