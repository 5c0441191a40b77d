import type { PhoneFault, PhoneProblem } from '#portable/phone/read-phone.ts'
import { language } from '../../language/language.ts'
import { t } from '../../language/words.ts'

const names = new Intl.DisplayNames(language, { type: 'region' })

export const nameCountry = (country: string): string => names.of(country) ?? country

const WORDS: Readonly<Record<PhoneProblem, (country: string) => string>> = {
  empty: () => t('No number'),
  'not-a-number': () => t('Not a phone number'),
  extension: () => t('A text cannot go to an extension: write the number without it'),
  'short-code': () => t('A short code reaches only people of the same network'),
  rounded: () => t('The spreadsheet has rounded this number: format its column as text'),
  'no-country': () =>
    t('No country in the number: write it as +49 151 12345678, or choose a country'),
  'unknown-country': () => t('No country has this code'),
  'too-short': (country) => t('Too short for a phone number') + bracketCountry(country),
  'too-long': (country) => t('Too long for a phone number') + bracketCountry(country),
  'wrong-length': (country) => t('No phone number has this many digits') + bracketCountry(country),
  'not-of-country': (country) =>
    t("{country} has no such number. If it is right, write it with + and the country's code", {
      country,
    }),
}

const bracketCountry = (country: string) => country && ` (${country})`

/** Why a number cannot be read, as a sentence without its full stop. */
export const describePhoneFault = ({ problem, country }: PhoneFault): string =>
  WORDS[problem](country && nameCountry(country))
