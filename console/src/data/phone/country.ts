import { computed, effect } from '@preact/signals'
import { pb } from '../client.ts'
import { session } from '../session.ts'

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
export const defaultCountry = computed(
  () => String(session.value?.record.country ?? '') || countryOf(navigator.languages),
)

/** Stores the default country of the signed-in user. */
export async function saveCountry(country: string): Promise<void> {
  const { value } = session
  if (value?.role === 'user') await pb.collection('users').update(value.record.id, { country })
}

/** An account without a country gets the browser's when numbers are first shown or typed. */
effect(() => {
  const { value } = session
  if (value?.role !== 'user' || value.record.country !== '') return
  const country = countryOf(navigator.languages)
  if (country) void saveCountry(country).catch(() => {}) // the next page tries again
})
