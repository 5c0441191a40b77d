import { countryOf } from '../../console/src/data/phone/country-of.ts'

test.each([
  ['the time zone goes first', ['en-GB'], 'Europe/Berlin', 'DE'],
  ['a zone by its former name', ['en'], 'Asia/Calcutta', 'IN'],
  ['one of many zones of a country', ['es'], 'America/Los_Angeles', 'US'],
  ['without a place, the first language that names a country', ['de', 'en-GB'], 'UTC', 'GB'],
  ['without any, where most speak it', ['de'], 'Etc/UTC', 'DE'],
  ['a continent is no country', ['es-419', 'pt-BR'], 'UTC', 'BR'],
  ['nothing to go by', ['x-unknown'], 'Etc/GMT+1', ''],
])('%s', (_, languages, zone, country) => {
  expect(countryOf(languages, zone)).toBe(country)
})

test('every time zone on land has a country', () => {
  const lost = Intl.supportedValuesOf('timeZone').filter((zone) => countryOf([], zone) === '')
  expect(lost.filter((zone) => !/^(Antarctica|Etc)\/|^UTC$/.test(zone))).toEqual([])
})
