/**
 * What a spreadsheet reads as a formula, also after blanks, control and invisible characters, and in Asian
 * forms. Phone numbers are not formulas. OWASP: CSV injection
 */
const FORMULA = /^(?:[\t\r\n\ufeff]|[\s\p{Cc}\p{Cf}]*(?:[=@＝＠＋－﹦﹫﹢﹣-]|\+(?!\d+$)))/u
/**
 * A formula within a text, as some spreadsheets start a cell at a semicolon or tab. Phone numbers and the
 * dashes of a list are not formulas. Matches the sign first: a lookbehind at each blank would be quadratic.
 */
const INNER_FORMULA =
  /(?=[=@＝＠＋－﹦﹫﹢﹣+-])(?<=[;\t\r\n][\s\p{Cc}\p{Cf}"']*)(?:[=@＝＠＋－﹦﹫﹢﹣]|-(?! )|\+(?!\d+(?:[\s;]|$)))/gu
const QUOTED = /[",\r\n]/

/** A line of CSV (RFC 4180). Lists are joined by commas. A formula gets an apostrophe in front. */
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
