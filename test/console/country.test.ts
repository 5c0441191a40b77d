import { guessCountry } from '../../console/src/data/phone/guess-country.ts'

test.each([
  ['the time zone decides first', ['en-GB'], 'Europe/Berlin', 'DE'],
  ['a zone by its former name', ['en'], 'Asia/Calcutta', 'IN'],
  ['a country with many time zones is found by any of them', ['es'], 'America/Los_Angeles', 'US'],
  ['without a place, the first language that names a country', ['de', 'en-GB'], 'UTC', 'GB'],
  ['without both, the country with most speakers of the language is used', ['de'], 'Etc/UTC', 'DE'],
  ['a continent does not count as a country', ['es-419', 'pt-BR'], 'UTC', 'BR'],
  ['without any hint no country is chosen', ['x-unknown'], 'Etc/GMT+1', ''],
])('%s: $3', (_, languages, zone, country) => {
  expect(guessCountry(languages, zone)).toBe(country)
})

test('every time zone on land has a country', () => {
  const lost = Intl.supportedValuesOf('timeZone').filter((zone) => guessCountry([], zone) === '')
  expect(lost.filter((zone) => !/^(Antarctica|Etc)\/|^UTC$/.test(zone))).toEqual([])
})
