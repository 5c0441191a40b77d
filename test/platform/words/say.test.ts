import { formatMailTime, makeSay } from '../../../src/platform/words/say.ts'

const FORMS = { one: '{name} waits', other: '{count} wait' }
const WORDS = {
  en: { waiting: FORMS },
  de: { waiting: { one: '{name} wartet', other: '{count} warten' } },
  es: { waiting: FORMS },
  fr: { waiting: { one: '{count} attend', many: '{count} d’attente', other: '{count} attendent' } },
  pt: { waiting: FORMS },
}

test('a sentence has the form and the numbers of its language', () => {
  const say = (language: 'de' | 'fr', count: number) =>
    makeSay(WORDS, language)('waiting', { name: 'Büro', count })
  expect([say('de', 1), say('de', 2_000)]).toEqual(['Büro wartet', '2.000 warten'])
  expect([say('fr', 0), say('fr', 2)]).toEqual(['0 attend', '2 attendent'])
})

test('a value is not filled in again, and a name without a value keeps its braces', () => {
  const say = makeSay(WORDS, 'en')
  expect(say('waiting', { name: '{name} $& {count}', count: 1 })).toBe('{name} $& {count} waits')
  expect(say('waiting', { count: 1 })).toBe('{name} waits')
})

test.each([
  ['en', '', 'Europe/Berlin', '20 Nov 2026, 08:00 CET'],
  ['de', '', 'Europe/Berlin', '20. Nov. 2026, 08:00 MEZ'],
  ['es', '', 'Europe/Berlin', '20 nov 2026, 08:00 CET'],
  ['fr', '', 'Europe/Berlin', '20 nov. 2026, 08:00 UTC+1'],
  ['pt', '', 'Europe/Berlin', '20 de nov. de 2026, 08:00 GMT+1'],
  ['en', 'US', 'America/New_York', 'Nov 20, 2026, 2:00 AM EST'],
  ['en', 'AU', 'Australia/Sydney', '20 Nov 2026, 6:00 pm AEDT'],
  ['en', 'GB', 'Europe/London', '20 Nov 2026, 07:00 GMT'],
  ['en', 'DE', 'Europe/Berlin', '20 Nov 2026, 08:00 CET'],
  ['es', 'MX', 'America/Mexico_City', '20 nov 2026, 1:00 a.m. GMT-6'],
  ['fr', 'CA', 'America/Toronto', '20 nov. 2026, 02 h 00 HNE'],
  ['pt', 'PT', 'Europe/Lisbon', '20/11/2026, 07:00 WET'],
  ['en', 'TH', 'Asia/Bangkok', '20 Nov 2026, 14:00 GMT+7'],
] as const)('a time of a mail in %s of the country “%s”, zone %s, is %s', (...row) => {
  const [language, country, timeZone, written] = row
  const time = formatMailTime({ language, country, timeZone }, '2026-11-20 07:00:12.345Z')
  expect(time.replaceAll(/\s/g, ' ')).toBe(written)
})

test('a mail shows an invalid time unchanged, and a time of an early year', () => {
  expect(formatMailTime({ language: 'de' }, 'soon')).toBe('soon')
  expect(formatMailTime({ language: 'en' }, '0000-01-01 00:00:00.000Z')).toBe('1 Jan 1, 00:00 UTC')
})
