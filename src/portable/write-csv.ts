/**
 * Matches a cell that a spreadsheet would read as a formula, except phone numbers: digits behind a plus are
 * nothing but a number. OWASP: CSV injection
 */
const FORMULA = /^'*(?:[\t\r\n\ufeff]|[\s\p{Cc}\p{Cf}]*(?:[=@＝＠＋－﹦﹫﹢﹣-]|\+(?!\d[\d ]*$)))/u

/**
 * Matches a formula inside a text, where a program that separates cells by another mark than the file's would
 * begin one. Finds its sign first: a lookbehind at each blank takes quadratic time.
 */
const INNER_FORMULAS = {
  ',': /(?=[=@＝＠＋－﹦﹫﹢﹣+-])(?<=[;\t\r\n][\s\p{Cc}\p{Cf}"']*)(?:[=@＝＠＋－﹦﹫﹢﹣]|-(?! )|\+(?!\d+(?:[\s;]|$)))/gu,
  ';': /(?=[=@＝＠＋－﹦﹫﹢﹣+-])(?<=[,\t\r\n][\s\p{Cc}\p{Cf}"']*)(?:[=@＝＠＋－﹦﹫﹢﹣]|-(?! |$)|\+(?!\d+(?:[\s,]|$)))/gu,
}

/** The separator of cells in a file that is written. */
export type Separator = keyof typeof INNER_FORMULAS

const QUOTED = { ',': /[",\r\n]/, ';': /[";\r\n]/ }

/**
 * A line of CSV (RFC 4180). Joins lists by commas; other objects are JSON. Puts an apostrophe before a
 * formula, to make it text: `readCsvCells` takes it away again.
 */
export const writeCsvLine = (values: readonly unknown[], separator: Separator = ','): string =>
  `${values.map((value) => writeCell(value, separator)).join(separator)}\r\n`

function writeCell(value: unknown, separator: Separator): string {
  const text = toCellText(value, separator)
  return QUOTED[separator].test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function toCellText(value: unknown, separator: Separator): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return guardFormula(value, separator)
  if (typeof value !== 'object') return String(value)
  const isPlain = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isPlain
    ? value.map((item) => toCellText(item, separator)).join(',')
    : guardFormula(JSON.stringify(value), separator)
}

function guardFormula(text: string, separator: Separator): string {
  const inner = text.replace(INNER_FORMULAS[separator], "'$&")
  return FORMULA.test(text) ? `'${inner}` : inner
}

/**
 * The text of a cell as `writeCsvLine` got it: without the apostrophes that it puts before formulas. Other
 * cells stay as they are.
 */
export function removeFormulaGuard(cell: string, separator: Separator): string {
  if (!cell.includes("'")) return cell
  const texts = [cell.replace(/^'/, ''), cell].map((text) => removeInnerGuards(text, separator))
  return texts.find((text) => guardFormula(text, separator) === cell) ?? cell
}

function removeInnerGuards(text: string, separator: Separator): string {
  const pieces: string[] = []
  let from = 0
  for (const { index } of text.matchAll(INNER_FORMULAS[separator])) {
    const isGuarded = text[index - 1] === "'"
    pieces.push(text.slice(from, isGuarded ? index - 1 : index))
    from = index
  }
  return pieces.join('') + text.slice(from)
}
