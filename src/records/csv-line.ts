/** What a spreadsheet would take for a formula; a phone number begins with a plus and is none. OWASP: CSV injection */
const FORMULA = /^(?:[=@\t\r-]|\+(?!\d+$))/
const QUOTED = /[",\r\n]/

/**
 * A line of CSV (RFC 4180). Lists become their items with a comma between, objects JSON. A text that a spreadsheet would
 * compute, as any sender of an SMS may write one, gets an apostrophe in front.
 */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

function cell(value: unknown): string {
  const text = textOf(value)
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return FORMULA.test(value) ? `'${value}` : value
  if (typeof value !== 'object') return String(value)
  const isPlain = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isPlain ? value.map(textOf).join(',') : JSON.stringify(value)
}
