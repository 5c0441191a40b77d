import { E164 } from './e164.ts'
import { codeOfCountry, listCountries, parsePhone } from './numbering-plans.ts'
import { toPlainText } from './plain-text.ts'
import { readTypedPhone } from './read-typed-phone.ts'

/** The country of a stored number, as ISO 3166 alpha-2; '' if it has none. */
export const findPhoneCountry = (phone: string): string =>
  E164.test(phone) ? (parsePhone(phone)?.country ?? '') : ''

/** Formats a stored number: `+49 1512 0000010` with no-break spaces. Returns sender names unchanged. */
export function formatPhone(phone: string): string {
  if (!E164.test(phone)) return phone
  return (parsePhone(phone)?.formatInternational() ?? phone).replaceAll(' ', '\u00a0')
}

/** Whether a text has only digits and separators, after at most one plus and brackets before it. */
function isPhonePart(text: string): boolean {
  const plus = text.indexOf('+')
  const isPlusFirst = plus < 0 || /^[\s(]*$/.test(text.slice(0, plus))
  return isPlusFirst && /^[\d\s()[\].,/\p{Pd}·]+$/u.test(text.slice(plus + 1))
}

/**
 * The digits to search stored numbers for: the typed number in E.164 if it is complete, and otherwise its
 * digits without leading zeros. '' for fewer than three digits. Digits that a complete number ends with stay
 * as they are: they find the number, and those of which they are only the last digits.
 */
export function readPhonePart(text: string, country = ''): string {
  const plain = toPlainText(text)
  const whole = readTypedPhone(plain, country).phone
  const digits = plain.replace(/[^+\d]/g, '')
  const isEnd = whole?.endsWith(digits) && !digits.startsWith('0')
  if (!isPhonePart(plain) || (whole && !isEnd)) return whole ?? ''
  // no country and no area has a code that begins with 0: these are a number's last digits
  if (digits.startsWith('000')) return digits
  const part = digits.startsWith('00') ? `+${digits.slice(2)}` : digits.replace(/^0+/, '')
  return part.length > 2 ? part : ''
}

/** All countries that have phone numbers: their ISO 3166 codes and calling codes. */
export const listPhoneCountries = (): { readonly country: string; readonly code: string }[] =>
  listCountries().map((country) => ({ country, code: `+${codeOfCountry(country)}` }))
