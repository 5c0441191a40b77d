import { readCallingCode } from './calling-code.ts'
import { E164, SHORT_CODE } from './e164.ts'
import {
  type CountryCode,
  codeOfCountry,
  findCountryNamed,
  findLengthFault,
  isMobileNumber,
  type PhoneNumber,
  parsePhone,
} from './numbering-plans.ts'
import { isOtherForm } from './other-phone-forms.ts'
import { SEPARATORS, toPlainText } from './plain-text.ts'

/** Why a text could not be read as a phone number. */
export type PhoneProblem =
  | 'empty'
  | 'not-a-number'
  | 'extension'
  | 'short-code'
  | 'rounded'
  | 'no-country'
  | 'unknown-country'
  | 'too-short'
  | 'too-long'
  | 'wrong-length'
  | 'not-of-country'

export interface PhoneFault {
  readonly problem: PhoneProblem
  /** The country whose rules the number breaks, as ISO 3166 alpha-2; '' if unknown. */
  readonly country: string
}

/** A number in E.164, or why the text is no number. */
export type PhoneReading =
  | { readonly phone: string; readonly fault?: undefined }
  | { readonly phone?: undefined; readonly fault: PhoneFault }

export interface ReadOptions {
  /**
   * Meaning of digits without `+`, `00` and trunk prefix. `home`: a number of the country, with or without
   * its calling code. `world`: digits without separators may also be a number of another country with its
   * calling code. Default: `home`.
   */
  readonly bare?: 'home' | 'world'
  /** Compares a number that is already in E.164 with its country's plan, too. Default: false. */
  readonly isTyped?: boolean
}

/** A number with an exponent, such as `4.91512E+12`: of 1 or more, as programs write it. */
const SCIENTIFIC = /^([+-]?)(\d[\d\s.,]*)(e\s*[+-]?)\s*0*([1-9]\d*)$/i
/**
 * A number that a program has stored with decimals: `1701234567.0`, `1 701 234 567,00`. A dot before more
 * than two digits is one between the parts of a number if less than a whole number precedes it.
 */
const DECIMAL =
  /^(\+?\d{7,}|[1-9]\d{0,2}(?:(?<mark>[ .,'’_])\d{3})(?:\k<mark>\d{3})+)[.,](0+|\d{1,2}|(?<=\d{10}.)\d+)$/
/** A number that a spreadsheet shows in groups: `4,915,112,345,678`. */
const GROUPED = /^\+?[1-9]\d{0,2}(?:,\d{3}){2,}$/
/** Decimals of a number with other marks before them, as `+49 1701234567.0`: they are no part of it. */
const DECIMALS = /\d\s*\.\s*(?:\d|(?<=\d{4}\s*\.\s*)00|(?<=\d{7}\s*\.\s*)(?:\d\d|0+))\D*$/
/** A subtraction's result, and a date: their marks separate something else than the parts of a number. */
const OTHER_VALUE =
  /^(?:-[1-9]\d*|(?:19|20)\d\d([-./])(?:0?[1-9]|1[0-2])\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:19|20)\d\d)$/
const SCHEME = /^(?:tel|sms|smsto|callto):/i
const CONTEXT = /;phone-context=(\+\d{1,3})(?=;|$)/i
/** Digits that are dialed after the connection is made. RFC 3966, and the forms that people write. */
const EXTENSION =
  /\d[\s.]*(?:;\s*(?:ext|isub|postd)\b|[,;]+\s*\d|x\s*\d|[#~〜〰]|ext|ext\.|extension|[pw]\s*\d)/i
/** Other last digits, as in `030 1234567/68`, and a note behind a number, as in `+49 30 1234567 [1]`. */
const ENDINGS =
  /(?:^[^\d/|\\]*(?:\d[^\d/|\\]*){7,}|\d{5,}\s*)[/|\\]\s*\d{1,3}(?!\d)|(?:\d\D*){7}[([]\s*\d{1,3}\s*[)\]]?$/
const DIALABLE = /^\+?\d+$/
/** Maximum characters of a text that is read as a number: a link with parameters, or a name beside it. */
export const MAX_LENGTH = 300

const LENGTH_PROBLEMS = {
  INVALID_COUNTRY: 'unknown-country',
  NOT_A_NUMBER: 'not-a-number',
  TOO_SHORT: 'too-short',
  TOO_LONG: 'too-long',
  INVALID_LENGTH: 'wrong-length',
} as const satisfies Record<string, PhoneProblem>

/**
 * Reads a number as people and programs write it: `0151 20000010`, `0049…`, `+49 (0)151 …`, `tel:+49…`.
 * Without a calling code it must be in the numbering plan of `country` (ISO 3166 alpha-2, a calling code, or
 * '' for none). With a calling code, only its length is checked: countries add new ranges every year. A text
 * in E.164 stays as it is, but for a trunk prefix that its country does not dial from abroad.
 */
export function readPhone(
  text: string,
  country = '',
  { bare = 'home', isTyped }: ReadOptions = {},
): PhoneReading {
  if (!isTyped && isPlainPhone(text)) return { phone: text }
  if (text.length > MAX_LENGTH) return makePhoneFault('not-a-number')
  const typed = dropScheme(toPlainText(text))
  if (typed === '') return makePhoneFault('empty')
  const scientific = SCIENTIFIC.exec(typed)
  const clean = scientific ? writeWithoutExponent(scientific) : typed
  if (clean === undefined) return makePhoneFault('rounded')
  if (GROUPED.test(clean)) return readPhone(clean.replaceAll(',', ''), country, { bare, isTyped })
  const decimal = DECIMAL.exec(clean)
  const isRounded = decimal ? /[1-9]/.test(decimal[3]!) : DECIMALS.test(clean)
  if (isRounded) return makePhoneFault('rounded')
  if (decimal) return readPhone(decimal[1]!.replace(/[^+\d]/g, ''), country, { bare, isTyped })
  if (OTHER_VALUE.test(clean)) return makePhoneFault('not-a-number')
  if (EXTENSION.test(clean) || ENDINGS.test(clean)) return makePhoneFault('extension')
  const digits = clean.replace(SEPARATORS, '')
  if (!DIALABLE.test(digits)) return makePhoneFault('not-a-number')
  const home = country === '' ? undefined : findCountryNamed(country)
  const whole = toInternational(digits)
  const isInternational = whole !== undefined && clean.includes('+')
  const phone =
    (whole && readInternational(whole, hasTrunkBrackets(clean))) ||
    (!isInternational && readBareNumber(digits, home, bare === 'world' && digits === clean)) ||
    (!isTyped && E164.test(text) && text)
  if (phone) return { phone }
  if (SHORT_CODE.test(digits)) return makePhoneFault('short-code')
  return { fault: findPhoneFault(digits, whole, home) }
}

/** Whether a text has nothing but digits and what people write between and around them. */
export const looksDialable = (text: string): boolean =>
  text.length <= MAX_LENGTH && DIALABLE.test(dropScheme(toPlainText(text)).replace(SEPARATORS, ''))

/**
 * Whether a text is in E.164, in its present form, without a 0 after its calling code: a trunk prefix, or
 * part of the number.
 */
export const isPlainPhone = (text: string): boolean =>
  E164.test(text) && text[readCallingCode(text).length] !== '0' && !isOtherForm(text)

/** A number in E.164 in its one form, by which a person is stored and found. Other texts stay unchanged. */
export const normalizePhone = (text: string): string =>
  (E164.test(text) && readPhone(text).phone) || text

/** A float has at most nine digits. */
const MIN_DIGITS_OF_DOUBLE = 10
const MAX_ZEROS = 3

/**
 * Writes a number without its exponent; undefined if digits are lost, as in a spreadsheet's `4.91512E+12`.
 * Java writes 4915112345670 as `4.91511234567E12`, without the zeros at the end, and Go as
 * `4.91511234567e+12`, so a number of ten digits or more has lost none, unless it has the `E+` of
 * spreadsheets (JLS, Double.toString; Go, fmt, %v).
 */
function writeWithoutExponent([, sign = '', text = '', mark = '', exponent]: readonly string[]) {
  const [, whole, decimals = ''] = /^(\d+)(?:[.,](\d+))?$/.exec(text.replace(/\s/g, '')) ?? []
  if (whole === undefined || mark.endsWith('-') || sign === '-') return undefined
  const zeros = Math.max(0, Number(exponent) - decimals.length)
  const isOfProgram = mark.startsWith('e') || !mark.endsWith('+')
  const isDouble = isOfProgram && whole.length === 1 && decimals.length + 1 >= MIN_DIGITS_OF_DOUBLE
  if (zeros > (isDouble ? MAX_ZEROS : 0)) return undefined
  const digits = whole + decimals + '0'.repeat(zeros)
  const end = whole.length + Number(exponent)
  const rest = digits.slice(end)
  return sign + digits.slice(0, end).replace(/^0+/, '') + (rest && `.${rest}`)
}

/** Whether a number with an exponent has lost digits, as a spreadsheet's `4.91512E+12`. */
export function hasLostDigits(text: string): boolean {
  const scientific = SCIENTIFIC.exec(text)
  return scientific !== null && writeWithoutExponent(scientific) === undefined
}

/** The number of a link (RFC 3966), with its context. Parameters that change the number stay. */
function dropScheme(text: string): string {
  if (!SCHEME.test(text)) return text
  const number = text.replace(SCHEME, '').replace(/\?.*$/s, '')
  const context = CONTEXT.exec(number)?.[1]
  const plain = number.replace(/;(?!ext=|isub=|postd=)[\w-]+(?:=[^;]*)?/gi, '')
  return context && !plain.includes('+') ? `${context} ${plain}` : plain
}

/** A number typed with + or 00 in its form with +; undefined for other numbers. */
function toInternational(digits: string): string | undefined {
  const whole = digits.replace(/^00/, '+')
  return whole.startsWith('+') ? whole : undefined
}

const hasTrunkBrackets = (text: string): boolean => /[([]\s*0\s*[)\]]/.test(text)

/**
 * `hasTrunk`: the number has a `(0)`. It is dropped where the numbering plan does not have it; another 0 only
 * before a mobile phone's number, as Italians write it.
 */
function readInternational(whole: string, hasTrunk: boolean): string | undefined {
  const number = parsePhone(whole)
  if (number?.isValid()) return toE164(number)
  const without = parsePhone(whole.replace(/^(\+[1-9]\d{0,2}?)0/, '$1'))
  const hasDropped =
    without && (hasTrunk ? without.isPossible() : without.isValid() && isMobileNumber(without))
  return toE164(hasDropped ? without : number?.isPossible() ? number : undefined)
}

/**
 * Reads digits without +. Prefers mobile numbers: spreadsheets drop + and 0. `mayBeForeign`: they may begin
 * with any calling code. Others may not, because a mistyped number could then reach a stranger abroad. 3 to 6
 * digits are a short code, unless the country has such numbers of mobile phones.
 */
function readBareNumber(digits: string, home: CountryCode | undefined, mayBeForeign: boolean) {
  const national = home && keepValid(parsePhone(digits, home))
  const whole = digits.startsWith('0') ? undefined : parsePhone(`+${digits}`)
  const isHome = home && digits.startsWith(codeOfCountry(home))
  const known = [national, isHome || mayBeForeign ? keepValid(whole) : undefined]
  const mobile = known.find((one) => one && isMobileNumber(one))
  if (mobile || /^\d{3,6}$/.test(digits)) return toE164(mobile)
  // a landline without its trunk prefix that is also a number abroad: a person must say which
  if (national && (mayBeForeign || isHome || !whole?.isValid())) return toE164(national)
  return mayBeForeign && whole?.isPossible() ? toE164(whole) : undefined
}

const keepValid = (number: PhoneNumber | undefined) => (number?.isValid() ? number : undefined)

const toE164 = (number: PhoneNumber | undefined): string | undefined =>
  number && E164.test(number.number) ? number.number : undefined

const makePhoneFault = (problem: PhoneProblem, country = ''): PhoneReading => ({
  fault: { problem, country },
})

function findPhoneFault(
  digits: string,
  whole: string | undefined,
  home: CountryCode | undefined,
): PhoneFault {
  if (!whole && !home) return { problem: 'no-country', country: '' }
  const text = whole ?? digits
  const country = whole ? undefined : home
  const found = findLengthFault(text, country)
  const problem = found ? LENGTH_PROBLEMS[found] : whole ? 'too-long' : 'not-of-country'
  return { problem, country: parsePhone(text, country)?.country ?? country ?? '' }
}
