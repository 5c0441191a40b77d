import COUNTRIES from './currency-countries.json' with { type: 'json' }

/** The currencies (ISO 4217) of countries (ISO 3166 alpha-2). */
const CURRENCIES: ReadonlyMap<string, string> = new Map(
  Object.entries(COUNTRIES).flatMap(([currency, countries]) =>
    countries.split(' ').map((country) => [country, currency] as const),
  ),
)

/** The currency of a country, as an example: the euro for one that is not listed. */
export const findCurrency = (country: string): string => CURRENCIES.get(country) ?? 'EUR'
