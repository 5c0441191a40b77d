import { readCallingCode } from '../../portable/phone/calling-code.ts'
import { findCharacterClasses } from '../../portable/phone/character-classes.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { writeNationalForms } from '../../portable/phone/other-phone-forms.ts'
import { normalizePhone } from '../../portable/phone/read-phone.ts'

/** A character as JSON, a URL's query and HTML have it: `\u00a0`, `\n`, `%C2%A0`, `&nbsp;`. */
const ESCAPED =
  '\\\\(?:u[0-9A-Fa-f]{4}|[bfnrt])|%(?:0[9AaDd]|[289A-Ea-e][0-9A-Fa-f])|&#?[0-9A-Za-z]+;'
/** Signs that the reader of numbers ignores between two digits, escaped or not; commas of thousands. */
const writeGapPattern = () => `(?:[,${findCharacterClasses().between}]|${ESCAPED})*`
const writeDigitPattern = (one: string) => `[${findCharacterClasses().digits[Number(one)]}]`

/** Prefixes for calls abroad. */
const ABROAD = '0011|011|00|810'
/** Trunk prefixes by calling code, where they are not only 0. */
const TRUNKS: Readonly<Record<string, string>> = {
  1: '1',
  7: '8|0',
  36: '06|0',
  52: '1|01|044|045|0',
  55: '0|90',
  370: '8|0',
  375: '8|80|0',
  992: '8|0',
  993: '8|0',
  998: '8|0',
}

/** A pattern with digits as they are spelled, each with a gap behind. Those in brackets may be absent. */
const writeSpacedPattern = (pattern: string): string =>
  pattern.replace(/\((\d+)\)|\d/g, (one, optional?: string) =>
    optional ? `(?:${writeSpacedPattern(optional)})?` : writeDigitPattern(one) + writeGapPattern(),
  )

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
const writeDatePattern = (...separators: readonly string[]) =>
  `(?:${separators.flatMap((separator) => DATES.map((parts) => parts.join(separator))).join('|')})`

/** Digits of a date, such as 20261015, or of its end, such as 1015 or 102026. */
const DATE_DIGITS = new RegExp(`^(?:${writeDatePattern('')}|${MONTH}(?:${DAY}|${YEAR}))`)
const BETWEEN_PARTS = '[-./\\u2010-\\u2015\\u2212]'
/** Not at the beginning of a date, such as 2026-10-15, 15.10.2026 or 20261015, and not inside one. */
const NO_DATE = `(?<![0-9]${BETWEEN_PARTS})(?!${writeDatePattern('', BETWEEN_PARTS)}(?![0-9]))`

/**
 * A regular expression of Postgres for a number in E.164 and in all its other spellings: `+4915112345678`,
 * `0049 151 12345678`, `+49 (0) 151/123-456-78`, `0151 12345678`, `%2B4915112345678`. Without the calling
 * code, the digits of a date are no number.
 */
export function writeSpellingPattern(number: string): string {
  const any = `[${findCharacterClasses().digits.join('')}]`
  return `(?:(?<!${any})|(?<=${ESCAPED}))${spellNumber(number).slice(0, -writeGapPattern().length)}(?!${any})`
}

/** Digits that devices and people put behind a calling code, though they are no part of the number. */
const MARKS = ['', '0', '06', '1', '8', '80', '01', '044', '045']

/** A number, and the second forms of E.164 under which it may be stored. */
export function listStoredSpellings(number: string): string[] {
  if (!E164.test(number)) return [number]
  const { code, national } = splitNumber(number)
  const forms = listBracketVariants(writeNationalForms(number, national)).flatMap((rest) =>
    MARKS.map((mark) => `+${code}${mark}${rest}`),
  )
  return [
    number,
    ...new Set(forms.filter((form) => form !== number && normalizePhone(form) === number)),
  ]
}

/** The digits with and without each group in brackets. */
function listBracketVariants(digits: string): string[] {
  const [, before = '', optional = '', after] = /^(\d*)\((\d+)\)(.*)$/.exec(digits) ?? []
  if (after === undefined) return [digits]
  return listBracketVariants(after).flatMap((rest) => [
    `${before}${optional}${rest}`,
    `${before}${rest}`,
  ])
}

function splitNumber(number: string) {
  // countries that share +1 or +7 have their area codes in the calling code
  const code = /^\+[17]/.test(number) ? number[1]! : readCallingCode(number).slice(1)
  return { code, national: number.slice(1 + code.length) }
}

function spellNumber(number: string): string {
  if (!E164.test(number)) return writeSpacedPattern(number.replace(/\D/g, ''))
  const { code, national } = splitNumber(number)
  const trunk = `(?:${writeSpacedPattern(TRUNKS[code] ?? '0')})`
  const world = `(?:${writeSpacedPattern(ABROAD)})?${writeSpacedPattern(code)}${trunk}?`
  // only where a date is possible, because this makes the search ten times as slow
  const noDate = DATE_DIGITS.test(national) ? NO_DATE : ''
  const home = `${noDate}${trunk}${national.length < MIN_ALONE ? '' : '?'}`
  return `(?:${world}|${home})${writeSpacedPattern(writeNationalForms(number, national))}`
}
