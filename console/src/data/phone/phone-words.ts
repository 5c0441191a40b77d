import type { PhoneFault, PhoneProblem } from './phone-numbers.ts'

const names = new Intl.DisplayNames('en', { type: 'region' })

/** A country's name by its ISO 3166 alpha-2 code: `Germany`. */
export const countryName = (country: string): string => names.of(country) ?? country

const WORDS: Readonly<Record<PhoneProblem, (country: string) => string>> = {
  empty: () => 'No number',
  'not-a-number': () => 'Not a phone number',
  rounded: () => 'The spreadsheet has rounded this number: format its column as text',
  'no-country': () => 'No country in the number: write it as +49 151 12345678, or choose a country',
  'unknown-country': () => 'No country has this code',
  'too-short': (country) => `Too short for a phone number${country && ` (${country})`}`,
  'too-long': (country) => `Too long for a phone number${country && ` (${country})`}`,
  'wrong-length': (country) => `No phone number has this many digits${country && ` (${country})`}`,
  'not-of-country': (country) =>
    `${country} has no such number. If it is right, write it with + and the country's code`,
}

/** Why a number cannot be read, as a sentence without its full stop. */
export const phoneFaultWords = ({ problem, country }: PhoneFault): string =>
  WORDS[problem](country && countryName(country))
