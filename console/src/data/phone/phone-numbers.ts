import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max'
import { E164 } from '#portable/phone.ts'

/** Why a text could not be read as a phone number. `phone-words.ts` has a sentence for each. */
export type PhoneProblem =
  | 'empty'
  | 'not-a-number'
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

/** Invisible characters, such as marks of the writing direction, which phones put around numbers. */
const MARKS = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g
/** A number that a spreadsheet has rounded, for example to `4.91512E+12`. Its last digits are lost. */
const ROUNDED = /^\d(?:[.,]\d+)?e\+?\d+$/i
const DIALABLE = /^[\s(]*\+?[\p{Nd}\s()[\].,/\p{Pd}·]+$/u
const LENGTH_PROBLEMS = {
  INVALID_COUNTRY: 'unknown-country',
  NOT_A_NUMBER: 'not-a-number',
  TOO_SHORT: 'too-short',
  TOO_LONG: 'too-long',
  INVALID_LENGTH: 'wrong-length',
} as const satisfies Record<string, PhoneProblem>

/**
 * Reads a number as people write it: `0151 20000010`, `0049…`, `+49 (0)151 …`, `tel:+49…`, `Anna <+49…>`.
 * Without a calling code it must be in the numbering plan of `country` (ISO 3166 alpha-2, '' for none). With
 * a calling code, only its length is checked, because countries add new ranges every year.
 */
export function readPhone(text: string, country = ''): PhoneReading {
  const raw = numberIn(text)
  const home = isSupportedCountry(country) ? country : undefined
  if (raw === '') return failed('empty')
  if (ROUNDED.test(raw)) return failed('rounded')
  if (!DIALABLE.test(raw)) return failed('not-a-number')
  const international = internationalForm(raw)
  const isPlus = international !== undefined && raw.includes('+')
  const phone =
    (international && readInternational(international)) || (home && !isPlus && readNational(raw, home))
  if (phone) return { phone }
  return { fault: faultOf(raw, international, home) }
}

/** Finds the number in a typed text. Removes names, `tel:` and digits that are dialed after a pause. */
function numberIn(text: string): string {
  const clean = text.normalize('NFKC').replace(MARKS, '').trim()
  const inner = /<([^<>]*)>/.exec(clean)?.[1]?.trim() ?? clean
  const dialed = /^(?:tel|sms|smsto):/i.test(inner) ? inner.replace(/^\w+:/, '').split(/[;,?]/, 1)[0]! : inner
  if (ROUNDED.test(dialed)) return dialed
  return withoutWords(dialed)
}

/** Removes words around a number: `Anna: 0151 1234 (mobile)`. Returns a text without digits unchanged. */
function withoutWords(text: string): string {
  const from = text.search(/[+(]*\p{Nd}/u)
  if (from < 0) return text
  return text.slice(from).replace(/\P{Nd}+$/u, '')
}

/**
 * Converts a number typed with + or 00 to its form with +; undefined for other numbers. Drops the `(0)` of
 * `+49 (0)151`, except in Italian numbers, which need the 0.
 */
function internationalForm(raw: string): string | undefined {
  const isItalian = /^[(\s]*(?:\+|00)[\s]*39/.test(raw)
  const plain = (isItalian ? raw : raw.replace(/\(\s*0\s*\)/, '')).replace(/[()[\]]/g, ' ').trim()
  const whole = plain.replace(/^00/, '+')
  return whole.startsWith('+') ? whole : undefined
}

function readInternational(text: string): string | undefined {
  const number = parse(text)
  return number?.isPossible() && E164.test(number.number) ? number.number : undefined
}

/**
 * Reads a number of `country`, even if its calling code has no +, because spreadsheets drop + and 0. Tries no
 * other calling code, because a mistyped number could then reach a stranger abroad.
 */
function readNational(text: string, country: CountryCode): string | undefined {
  const national = valid(parse(text, country))
  if (national && isMobile(national)) return national.number
  const digits = text.replace(/\P{Nd}/gu, '')
  const whole = digits.startsWith(getCountryCallingCode(country)) ? valid(parse(`+${digits}`)) : undefined
  return (whole && isMobile(whole) ? whole : (national ?? whole))?.number
}

const valid = (number: PhoneNumber | undefined) =>
  number?.isValid() && E164.test(number.number) ? number : undefined

const isMobile = (number: PhoneNumber) => /MOBILE/.test(number.getType() ?? '')

const parse = (text: string, country?: CountryCode) =>
  parsePhoneNumberFromString(text, {
    extract: false,
    ...(country && { defaultCountry: country }),
  })

const failed = (problem: PhoneProblem, country = ''): PhoneReading => ({ fault: { problem, country } })

function faultOf(raw: string, international: string | undefined, home: CountryCode | undefined): PhoneFault {
  if (!international && !home) return { problem: 'no-country', country: '' }
  const text = international ?? raw
  const country = international ? undefined : home
  const options = { extract: false, ...(country && { defaultCountry: country }) }
  const found = validatePhoneNumberLength(text, options)
  const problem = found ? LENGTH_PROBLEMS[found] : international ? 'too-long' : 'not-of-country'
  return { problem, country: parse(text, country)?.country ?? country ?? '' }
}

/** The country of a stored number, as ISO 3166 alpha-2; '' if it has none. */
export const countryOfNumber = (phone: string): string => parse(phone)?.country ?? ''

/** Formats a stored number: `+49 1512 0000010` with no-break spaces. Returns sender names unchanged. */
export function formatPhone(phone: string): string {
  if (!E164.test(phone)) return phone
  return (parse(phone)?.formatInternational() ?? phone).replaceAll(' ', '\u00a0')
}

/**
 * What to search stored numbers for: the typed number in E.164 if it is complete, and otherwise its digits
 * without leading zeros. '' for fewer than three digits.
 */
export function phonePart(text: string, country = ''): string {
  if (!DIALABLE.test(text.trim())) return readPhone(text, country).phone ?? ''
  const whole = readPhone(text, country).phone
  if (whole) return whole
  const digits = internationalForm(text.trim())?.replace(/[^+\d]/g, '') ?? text.replace(/\D/g, '')
  const part = digits.replace(/^0+/, '')
  return part.length > 2 ? part : ''
}

/** All countries that have phone numbers: their ISO 3166 codes and calling codes. */
export const phoneCountries = (): { readonly country: string; readonly code: string }[] =>
  getCountries().map((country) => ({ country, code: `+${getCountryCallingCode(country)}` }))
