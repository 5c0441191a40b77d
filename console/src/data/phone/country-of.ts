import zonesOf from './country-zones.json' with { type: 'json' }

/** An ISO 3166 alpha-2 code, but not a region such as 419 (Latin America). */
const COUNTRY = /^[A-Z]{2}$/

/**
 * The country of a browser, by its time zone. For a zone without a country, such as UTC: the country of the
 * first language that names one; then the likeliest country of the languages; '' for none.
 */
export function countryOf(languages: readonly string[], zone: string): string {
  const here = Object.entries(zonesOf).find(([, zones]) => zones.split(' ').includes(zone))
  if (here) return here[0]
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
