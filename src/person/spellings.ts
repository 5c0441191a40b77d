import { callingCodeOf } from '../portable/phone/calling-code.ts'

/** Between two digits: up to three spaces, hyphens, dots, slashes or brackets, also as in a URL's query. */
const GAP = '(?:%20|[ +./()\\u00a0-]){0,3}'
/** A national number that is shorter is found with its calling code or a leading 0 only. */
const MIN_ALONE = 8

const YEAR = '(?:19|20)[0-9]{2}'
const MONTH = '(?:0[1-9]|1[0-2])'
const DAY = '(?:0[1-9]|[12][0-9]|3[01])'
const DATES = [
  [YEAR, MONTH, DAY],
  [DAY, MONTH, YEAR],
  [MONTH, DAY, YEAR],
]
const anyDate = (...separators: readonly string[]) =>
  `(?:${separators.flatMap((separator) => DATES.map((parts) => parts.join(separator))).join('|')})`

/** Digits of a date, such as 20261015, or of its end, such as 1015 or 102026. */
const DATE_DIGITS = new RegExp(`^(?:${anyDate('')}|${MONTH}(?:${DAY}|${YEAR}))`)
/** Not at the beginning of a date, such as 2026-10-15, 15.10.2026 or 20261015, and not inside one. */
const NO_DATE = `(?<![0-9][-./])(?!${anyDate('', '[-./]')}(?![0-9]))`

const spaced = (digits: string): string => [...digits].join(GAP)

/**
 * A regular expression of Postgres for a number in E.164 and in all its other spellings: `+4915112345678`,
 * `0049 151 12345678`, `+49 (0) 151/123-456-78`, `0151 12345678`, `%2B4915112345678`. Without the calling
 * code, the digits of a date are no number.
 */
export function spellingsOf(number: string): string {
  // countries that share +1 or +7 have their area codes in the calling code
  const code = /^\+[17]/.test(number) ? number[1]! : callingCodeOf(number).slice(1)
  const national = number.slice(1 + code.length)
  const world = `(?:00${GAP})?${spaced(code)}${GAP}(?:\\(?0\\)?${GAP})?`
  const home = `(?:0${GAP})${national.length < MIN_ALONE ? '' : '?'}`
  // only where a date is possible, because this makes the search four times as slow
  const start = DATE_DIGITS.test(national) ? `${world}|${NO_DATE}${home}` : `${world}|${home}`
  return `(?<![0-9])(?:${start})${spaced(national)}(?![0-9])`
}
