import { readDay, readMoment } from '../../src/portable/read-day.ts'

const ZONES: Readonly<Record<string, string>> = {
  DE: 'Europe/Berlin',
  US: 'America/New_York',
  IN: 'Asia/Kolkata',
  NZ: 'Pacific/Auckland',
}
const read = (text: string, country: string) =>
  readDay(text, { language: '', country, zone: ZONES[country] ?? '' })

test.each([
  // days of all countries
  ['2026-12-31', 'US', '2026-12-31'],
  ['2026-1-2', 'DE', '2026-01-02'],
  ['2026/12/31', 'US', '2026-12-31'],
  ['2026. 12. 31.', 'HU', '2026-12-31'],
  ['2026年12月31日', 'JP', '2026-12-31'],
  ['31.12.2026', 'US', '2026-12-31'],
  ['31. 12. 2026', 'CZ', '2026-12-31'],
  ['٣١/١٢/٢٠٢٦', 'SA', '2026-12-31'],
  ['३१-१२-२०२६', 'IN', '2026-12-31'],
  ['２０２６－１２－３１', 'JP', '2026-12-31'],
  ['\u200e2026-12-31\u00a0', 'DE', '2026-12-31'],
  // slashes in the order of the country
  ['31/12/2026', 'FR', '2026-12-31'],
  ['05/06/2026', 'FR', '2026-06-05'],
  ['05/06/2026', 'US', '2026-05-06'],
  ['12-31-2026', 'US', '2026-12-31'],
  ['31-12-2026', 'NL', '2026-12-31'],
  ['12/31/2026', 'FR', undefined],
  ['31/12/2026', 'US', undefined],
  // no order: only one reading, or none
  ['31/12/2026', '', '2026-12-31'],
  ['12/31/2026', '', '2026-12-31'],
  ['05/05/2026', '', '2026-05-05'],
  ['05/06/2026', '', undefined],
  ['05/06/2026', 'CA', undefined],
  ['31/12/2026', 'CA', '2026-12-31'],
  // instants are days of the account
  ['2026-12-31T23:00:00.000Z', 'DE', '2027-01-01'],
  ['2026-12-31 23:00:00.000Z', '', '2026-12-31'],
  ['2026-06-30T22:00:00Z', 'DE', '2026-07-01'],
  ['2026-06-30T21:59:59Z', 'DE', '2026-06-30'],
  ['2026-12-31T22:59:59Z', 'DE', '2026-12-31'],
  ['2026-03-29T22:30:00Z', 'DE', '2026-03-30'],
  ['2027-01-01T02:00:00Z', 'US', '2026-12-31'],
  ['2026-12-31T23:00:00-0500', 'US', '2026-12-31'],
  ['2026-12-31T20:00:00+00:00', 'IN', '2027-01-01'],
  ['2026-12-31 11:00 UTC', 'NZ', '2027-01-01'],
  ['2026-12-31T23:00:00.123456789+01', 'DE', '2026-12-31'],
  // a time without a zone is one of the account
  ['2026-12-31T23:00:00', 'DE', '2026-12-31'],
  ['31.12.2026 23:30', 'DE', '2026-12-31'],
  ['12/31/2026 11:59 PM', 'US', '2026-12-31'],
  // no day
  ['2026-12-31 - 2027-01-02', 'DE', undefined],
  ['2026-12-31/2027-01-02', 'DE', undefined],
  ['31.12.2026–02.01.2027', 'DE', undefined],
  ['2026-12-31 at noon', 'DE', undefined],
  ['2026-12-31T25:00', 'DE', undefined],
  ['2026-12-31T12:60Z', 'DE', undefined],
  ['2026-12-31T12:00+99:00', 'DE', undefined],
  ['2026-12-31 13:00 PM', 'US', undefined],
  ['31.12.26', 'DE', undefined],
  ['31/12/26', 'FR', undefined],
  ['20260-12-31', 'DE', undefined],
  ['31.12.20260', 'DE', undefined],
  ['9999-12-31T23:30:00Z', 'DE', undefined],
  ['2026-02-29', 'DE', undefined],
  ['31.2.2026', 'DE', undefined],
  ['20261231', 'DE', undefined],
  ['1798758000', 'DE', undefined],
  ['2026-12', 'DE', undefined],
  ['', 'DE', undefined],
])('%j in the country "%s" is read as the day %s', (text, country, day) => {
  expect(read(text, country)).toBe(day)
})

test('a time zone that the program does not know counts as UTC', () => {
  const locale = { language: '', country: 'DE', zone: 'Mars/Olympus' }
  expect(readDay('2026-12-31T23:59:00Z', locale)).toBe('2026-12-31')
})

test.each([
  ['31.12.2026 9:30', 'DE', '2026-12-31 09:30'],
  ['31/12/2026 9h30', 'ES', '2026-12-31 09:30'],
  ['31.12.2026, 09.30 Uhr', 'DE', '2026-12-31 09:30'],
  ['31-12-2026 21:05 h', 'ES', '2026-12-31 21:05'],
  ['12/31/2026 9:30 PM', 'US', '2026-12-31 21:30'],
  ['2026-12-31T09:30:15', 'DE', '2026-12-31 09:30'],
  ['2026-12-31T23:30:00Z', 'DE', '2027-01-01 00:30'],
  ['2026-07-01 22:30:00.000Z', 'DE', '2026-07-02 00:30'],
  ['31.12.2026', 'DE', '2026-12-31'],
  ['31.12.2026 9.75', 'DE', undefined],
  ['31.12.2026 24:00', 'DE', undefined],
])('%j in the country "%s" is read as the moment %s', (text, country, moment) => {
  const locale = { language: '', country, zone: ZONES[country] ?? '' }
  expect(readMoment(text, locale)).toBe(moment)
})
