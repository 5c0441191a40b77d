import { callingCodeOf } from '../portable/phone/e164.ts'

/** Between two digits: up to three spaces, hyphens, dots, slashes or brackets, also as in a URL's query. */
const GAP = '(?:%20|[ +./()\\u00a0-]){0,3}'
/** A national number that is shorter is found with its calling code or a leading 0 only. */
const MIN_ALONE = 8

const spaced = (digits: string): string => [...digits].join(GAP)

/**
 * A regular expression of Postgres for a number in E.164 and in all its other spellings: `+4915112345678`,
 * `0049 151 12345678`, `+49 (0) 151/123-456-78`, `0151 12345678`, `%2B4915112345678`.
 */
export function spellingsOf(number: string): string {
  // countries that share +1 or +7 have their area codes in the calling code
  const code = /^\+[17]/.test(number) ? number[1]! : callingCodeOf(number).slice(1)
  const national = number.slice(1 + code.length)
  const world = `(?:00${GAP})?${spaced(code)}${GAP}(?:\\(?0\\)?${GAP})?`
  const start = `(?:${world}|0${GAP})${national.length < MIN_ALONE ? '' : '?'}`
  return `(?<![0-9])${start}${spaced(national)}(?![0-9])`
}
