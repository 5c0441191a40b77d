import { computed, effect } from '@preact/signals'
import { ownSettings, saveOwnSettings } from '../user-settings/own.ts'

/** ISO 3166 alpha-2; a region such as 419 (Latin America) is no country. */
const COUNTRY = /^[A-Z]{2}$/

/** The country of the browser's languages: of the first that names one, else the most likely; '' for none. */
export function countryOf(languages: readonly string[]): string {
  const locales = languages.flatMap((language) => localeOf(language) ?? [])
  const named = locales.map(({ region }) => region ?? '').find((region) => COUNTRY.test(region))
  const likely = locales[0]?.maximize().region ?? ''
  return named ?? (COUNTRY.test(likely) ? likely : '')
}

function localeOf(language: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(language)
  } catch {
    return undefined
  }
}

/** The country of numbers that are typed without one: the account's, else the browser's; '' for none. */
export const defaultCountry = computed(() => ownSettings.value?.country || countryOf(navigator.languages))

/** An account without a country gets the browser's when numbers are first shown or typed. */
effect(() => {
  if (ownSettings.value === undefined || ownSettings.value?.country) return
  const country = countryOf(navigator.languages)
  if (country) void saveOwnSettings({ country }).catch(() => {}) // the next page tries again
})
