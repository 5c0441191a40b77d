import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max'
import { toPresentForm } from './other-phone-forms.ts'

// The numbering plans of all countries, by libphonenumber. `max` also says which numbers are mobile. It
// takes 3.5 MB of a process's memory (`min`: 2.9) and 20 µs a number.

export type { CountryCode, PhoneNumber }
export { getCountryCallingCode as codeOfCountry }

/** ISO 3166 codes of all countries that have phone numbers. */
export const listCountries = (): readonly CountryCode[] => getCountries()

/** Whether a text is the ISO 3166 code, in capital letters, of a country that has phone numbers. */
export const isCountry = (code: string): code is CountryCode => isSupportedCountry(code)

/** The country with this ISO 3166 code, in any letters, or the largest with this calling code (`49`). */
export function findCountryNamed(name: string): CountryCode | undefined {
  const code = name.toUpperCase()
  if (isCountry(code)) return code
  const { country_calling_codes: byCode } = (new Metadata() as unknown as { metadata: Plans })
    .metadata
  return byCode[name]?.[0]
}

interface Plans {
  readonly country_calling_codes: Readonly<Record<string, readonly CountryCode[]>>
}

/** The digits that people of a country dial before a national number: `0` in Germany; undefined for none. */
export function findTrunkPrefix(country: CountryCode): string | undefined {
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const { numberingPlan } = metadata as unknown as {
    numberingPlan: { nationalPrefix(): string | undefined }
  }
  return numberingPlan.nationalPrefix() || undefined
}

/** Parses digits with or without `+`, in any form. Undefined for a text that cannot be a number. */
export function parsePhone(text: string, country?: CountryCode): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(text, makeParseOptions(country))
  const present = number && toPresentForm(number.number)
  return present === number?.number
    ? number
    : parsePhoneNumberFromString(present!, makeParseOptions(undefined))
}

/** Why the length of a number is wrong, in libphonenumber's words; undefined if it is right. */
export const findLengthFault = (text: string, country?: CountryCode) =>
  validatePhoneNumberLength(text, makeParseOptions(country))

const makeParseOptions = (country: CountryCode | undefined) => ({
  extract: false,
  ...(country && { defaultCountry: country }),
})

/** Whether a number may be that of a mobile phone. */
export const isMobileNumber = (number: PhoneNumber): boolean =>
  /MOBILE/.test(number.getType() ?? '')

/** Whether a number in E.164 may be that of a mobile phone. */
export function isMobilePhone(phone: string): boolean {
  const number = parsePhone(phone)
  return number !== undefined && isMobileNumber(number)
}

/** Whether a number in E.164 costs its caller more than a call. All of +1900 does, also what no plan has. */
export const isPremiumNumber = (phone: string): boolean =>
  phone.startsWith('+1900') || /PREMIUM_RATE|SHARED_COST/.test(parsePhone(phone)?.getType() ?? '')
