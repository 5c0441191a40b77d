import { makeFieldTextFinder, writeFieldValue } from '../../src/portable/field-text.ts'

const write = (country: string, language: string, value: string | number, format?: string) =>
  writeFieldValue(typeof value === 'string' ? 'date' : 'number', value, format as 'long', {
    language,
    country,
    zone: '',
  })

test.each([
  ['DE', 'de', '1.12.2026', '1. Dezember 2026', 'Dienstag, 1. Dezember 2026'],
  ['DE', '', '1.12.2026', '1. Dezember 2026', 'Dienstag, 1. Dezember 2026'],
  ['FR', '', '01/12/2026', '1 décembre 2026', 'mardi 1 décembre 2026'],
  ['BR', 'pt', '01/12/2026', '1 de dezembro de 2026', 'terça-feira, 1 de dezembro de 2026'],
  ['MX', 'es', '1/12/2026', '1 de diciembre de 2026', 'martes, 1 de diciembre de 2026'],
  ['GB', 'en', '1 December 2026', '1 December 2026', 'Tuesday, 1 December 2026'],
  ['US', '', 'December 1, 2026', 'December 1, 2026', 'Tuesday, December 1, 2026'],
  ['DE', 'en', '1 December 2026', '1 December 2026', 'Tuesday, 1 December 2026'],
  // figures would be another day in the country
  [
    'US',
    'es',
    '1 de diciembre de 2026',
    '1 de diciembre de 2026',
    'martes, 1 de diciembre de 2026',
  ],
  ['', 'fr', '1 décembre 2026', '1 décembre 2026', 'mardi 1 décembre 2026'],
  // other calendars and digits
  ['SA', 'en', 'December 1, 2026', 'December 1, 2026', 'Tuesday, December 1, 2026'],
  ['TH', '', 'December 1, 2026', 'December 1, 2026', 'Tuesday, December 1, 2026'],
])('a date in %s, in the language "%s", is written as %s', (country, language, ...texts) => {
  const [usual, long, weekday] = texts
  expect(write(country, language, '2026-12-01')).toBe(usual)
  expect(write(country, language, '2026-12-01', 'long')).toBe(long)
  expect(write(country, language, '2026-12-01', 'weekday')).toBe(weekday)
  expect(write(country, language, '2026-12-01', 'plain')).toBe('2026-12-01')
})

test.each([
  ['DE', '2026-12-01 08:05', '1.12.2026 08:05', '1.12.2026', '08:05', 'Dienstag, 1. Dezember 2026'],
  [
    'US',
    '2026-12-01 18:05',
    'December 1, 2026 6:05 PM',
    'December 1, 2026',
    '6:05 PM',
    'Tuesday, December 1, 2026',
  ],
  ['FR', '2026-12-01 00:00', '01/12/2026 00:00', '01/12/2026', '00:00', 'mardi 1 décembre 2026'],
  // no time, and no moments
  ['DE', '2026-12-01', '1.12.2026', '1.12.2026', '', 'Dienstag, 1. Dezember 2026'],
  ['DE', '2026-12-01 24:00', ...Array(4).fill('2026-12-01 24:00')],
  ['DE', '2026-13-01 08:00', ...Array(4).fill('2026-13-01 08:00')],
])('in %s the moment %s is written as %s, and its parts alone', (country, value, ...texts) => {
  const formats = [undefined, 'day', 'time', 'weekday']
  expect(formats.map((format) => write(country, '', value, format))).toEqual(texts)
  expect(write(country, '', value, 'plain')).toBe(value)
})

test.each([
  ['DE', 12.5, '12,5'],
  ['CH', 12.5, '12.5'],
  ['US', 12.5, '12.5'],
  ['FR', 100234, '100234'],
  ['DE', -1234567.25, '-1234567,25'],
  ['DE', 0.30000000000000004, '0,30000000000000004'],
  ['DE', 1e21, '1000000000000000000000'],
  ['DE', 0, '0'],
])('in %s the number %d is written as %s', (country, value, text) => {
  expect(write(country, '', value)).toBe(text)
  expect(write(country, '', value, 'plain')).toBe(String(value))
})

const GERMANY = { language: 'de', country: 'DE', zone: '' }
const FIELDS = [
  { key: 'Termin', name: 'Nächster Termin', former: ['Tag'], type: 'date' },
  { key: 'Preis', name: 'Preis', former: null, type: 'number' },
  { key: 'Code', name: 'Code', former: null, type: 'text' },
  { key: 'Ende:long', name: 'Ende:long', former: null, type: 'date' },
] as const
const DATA = {
  Termin: '2026-12-01',
  Preis: 12.5,
  Code: 1.5,
  'Ende:long': '2026-12-02',
  other: '2026-12-03',
  nested: {},
}

test.each([
  ['termin', '1.12.2026'],
  ['Nächster Termin:long', '1. Dezember 2026'],
  ['TAG : Weekday', 'Dienstag, 1. Dezember 2026'],
  ['Termin:plain', '2026-12-01'],
  ['Termin:iso', undefined],
  ['Preis', '12,5'],
  ['Preis:plain', '12.5'],
  ['Code', '1.5'],
  ['other', '2026-12-03'],
  ['other:long', '2026-12-03'],
  ['Ende:long', '2.12.2026'],
  ['Ende:long:long', '2. Dezember 2026'],
  ['nested', undefined],
  ['missing:long', undefined],
])('{{%s}} of a contact is %s', (name, text) => {
  expect(makeFieldTextFinder(DATA, FIELDS, GERMANY)(name)).toBe(text)
})

test.each([['the 1st'], ['31.02.2026'], ['12,5']])('an older value, %s, stays as it is', (old) => {
  const data = { Termin: old, Preis: old }
  const find = makeFieldTextFinder(data, FIELDS, GERMANY)
  expect([find('Termin:long'), find('Preis')]).toEqual([old, old])
})
