import { dateToSerial, format, getFormatFromId, isDateFormat } from 'numfmt'
import { hasLostDigits } from '#portable/phone/read-phone.ts'
import { readDay } from '#portable/read-day.ts'
import { accountLocale } from '../account-locale.ts'

/** How the numbers of a workbook are shown. */
export interface NumberStyle {
  /** A BCP 47 tag: of decimal marks, and of dates whose format is the one of the system. */
  readonly locale: string
  /** Whether day 0 is 1904-01-01, as in old workbooks of Macs, instead of 1899-12-31. */
  readonly is1904: boolean
}

/** Days from the first day of usual workbooks to the first of those of 1904. ECMA-376-1 18.17.4.1 */
const DAYS_TO_1904 = 1462
/** Digits that Excel keeps of a number. */
const MAX_DIGITS = 15
/** Whole numbers from here on may be phone numbers, or numbers of customers. */
const MIN_WHOLE = 1_000_000

/** The code of a built-in format, such as `h:mm` for 20. ECMA-376-1 18.8.30 */
export const findBuiltInFormat = (id: number, locale: string): string =>
  getFormatFromId(id, locale) ?? 'General'

/**
 * Writes a number as its cell shows it by a format, such as `dd.mm.yyyy`. A whole number of seven digits or
 * more keeps all digits: `General` would write 4915112345678 as `4.91511E+12`. One that was rounded before it
 * was stored stays as it is stored, so that it is not read as a phone number.
 */
export function writeNumber(digits: string, code: string, style: NumberStyle): string {
  const value = Number(digits)
  if (digits.trim() === '' || !Number.isFinite(value)) return digits
  if (isRounded(digits, value, code)) return digits
  const whole = writeWhole(digits, value)
  const serial = value + (isDay(code, value, style) ? DAYS_TO_1904 : 0)
  const shown = formatValue(code, serial, style)
  if (shown === undefined) return whole ?? String(Number(value.toPrecision(MAX_DIGITS)))
  if (whole !== undefined && !shown.replace(/\D/g, '').includes(whole.replace('-', '')))
    return whole
  return isOtherDay(shown, code, serial) ? writeIsoDay(serial) : shown
}

const writeIsoDay = (serial: number): string =>
  format('yyyy-mm-dd', serial) + (Number.isInteger(serial) ? '' : ` ${format('hh:mm', serial)}`)

/** Whether the account would read a shown date as another day: 5/6/2026 of a file from another country. */
function isOtherDay(shown: string, code: string, serial: number): boolean {
  const day = /\d[/-]\d/.test(shown) ? readDay(shown, accountLocale()) : undefined
  return day !== undefined && isDate(code) && !writeIsoDay(serial).startsWith(day)
}

/** From here on a rounded number is one of a phone, whichever program has stored it. */
const MIN_PHONE = 1e8
/** The format of an amount. */
const AMOUNT = /[%$€£¥]/

/** Programs with `E+` round to few digits; Java also stores the whole amount 15000000 as `1.5E7`. */
const isRounded = (digits: string, value: number, code: string): boolean =>
  Math.abs(value) >= (digits.includes('+') ? MIN_WHOLE : MIN_PHONE) &&
  hasLostDigits(digits) &&
  !AMOUNT.test(code) &&
  !isDate(code)

/** All digits of a whole number that may be one of a phone; undefined for others. */
function writeWhole(digits: string, value: number): string | undefined {
  const rounded = Number(value.toPrecision(MAX_DIGITS))
  if (!Number.isInteger(rounded) || Math.abs(rounded) < MIN_WHOLE) return undefined
  return /^-?[1-9]\d*$/.test(digits) ? digits : BigInt(rounded).toString()
}

/** Whether a number is a day in a workbook of 1904. Spans, such as `[h]:mm`, have no first day. */
const isDay = (code: string, value: number, { is1904 }: NumberStyle): boolean =>
  is1904 && value >= 0 && !/\[(?:h+|m+|s+)\]/i.test(code) && isDate(code)

const isDate = (code: string) => {
  try {
    return isDateFormat(code)
  } catch {
    return false
  }
}

/** Writes a text as its cell shows it: a format such as `"Room "@` may add to it. */
export function writeText(text: string, code: string, style: NumberStyle): string {
  const isPlain = code === '@' || !code.includes('@')
  return isPlain ? text : (formatValue(code, text, style) ?? text)
}

/** Writes a truth value in the words of the locale, as `TRUE`. */
export const writeBoolean = (value: boolean, style: NumberStyle): string =>
  formatValue('General', value, style) ?? String(value).toUpperCase()

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?Z?$/

/** Writes a day of ISO 8601, which some programs store instead of a number. */
export function writeIsoDate(text: string, code: string, style: NumberStyle): string {
  const [, ...parts] = DATE.exec(text) ?? []
  if (parts.length === 0 || !isDate(code)) return text.replace('T', ' ')
  const serial = dateToSerial(parts.map((part) => Number(part ?? 0)))
  return formatValue(code, serial, style) ?? text
}

/** A currency or a language, as in `[$€-407]`: Excel writes numbers by its system, days by the language. */
const LANGUAGE = /\[\$([^\]-]*)-[^\]]*\]/g

/** undefined for a format that cannot be read. */
function formatValue(code: string, value: unknown, { locale }: NumberStyle): string | undefined {
  const pattern = isDate(code)
    ? code
    : code.replace(LANGUAGE, (_, currency: string) => currency && `"${currency}"`)
  try {
    return format(pattern, value, { locale, nbsp: false }).trim()
  } catch {
    return undefined
  }
}
