import zonesOf from './country-zones.json' with { type: 'json' }

/** Matches ISO 3166 alpha-2 codes, but not regions such as 419 (Latin America). */
const COUNTRY = /^[A-Z]{2}$/

/**
 * Guesses a browser's country from its time zone. If the zone has no country (UTC), returns the region of the
 * first language with a region. If no language has one, returns the likeliest country of the first, or ''.
 */
export function guessCountry(languages: readonly string[], zone: string): string {
  const here = Object.entries(zonesOf).find(([, zones]) => zones.split(' ').includes(zone))
  if (here) return here[0]
  const locales = languages.flatMap((language) => parseLocale(language) ?? [])
  const named = locales.map(({ region }) => region ?? '').find((region) => COUNTRY.test(region))
  const likely = locales[0]?.maximize().region ?? ''
  return named ?? (COUNTRY.test(likely) ? likely : '')
}

function parseLocale(language: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(language)
  } catch {
    return undefined
  }
}
