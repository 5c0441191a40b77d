import { expect, test } from 'vitest'
import { dateOf, formatDate, parseDate } from '../../src/fields/types/date.ts'
import { fieldType } from '../../src/fields/types/field-types.ts'
import { fieldOf } from './field.ts'

test.each([
  ['its own form', '2024-01-02 03:04:05.678Z', '2024-01-02 03:04:05.678Z'],
  ['a day that is none', '2024-02-30 00:00:00.000Z', ''],
  ['a leap day', '2024-02-29', '2024-02-29 00:00:00.000Z'],
  ['an hour that is none', '2024-01-02 24:00:00.000Z', ''],
  ['offset', '2024-01-02T03:04:05+02:00', '2024-01-02 01:04:05.000Z'],
  ['cut, not rounded', '2024-01-02 03:04:05.6789', '2024-01-02 03:04:05.678Z'],
  ['fraction after a comma', '2024-01-02 03:04:05,123Z', '2024-01-02 03:04:05.123Z'],
  ['one digit for the hour', '2024-01-02 3:04:05Z', '2024-01-02 03:04:05.000Z'],
  ['no seconds', '2024-01-02 03:04', ''],
  ['RFC 1123', 'Tue, 02 Jan 2024 03:04:05 GMT', '2024-01-02 03:04:05.000Z'],
  ['ANSI C', 'Mon Jan  2 15:04:05 2006', '2006-01-02 15:04:05.000Z'],
  ['two digits for the year', '02 Jan 69 03:04 MST', '1969-01-02 03:04:00.000Z'],
  ['only a time', '3:04PM', '0000-01-01 15:04:00.000Z'],
  ['Go’s zero time', '0001-01-01 00:00:00Z', ''],
  ['a year of five digits', '9999-12-31T23:59:59-01:00', '10000-01-01 00:59:59.000Z'],
  ['a year before the first', '0000-01-01T00:00:00+01:00', '-0001-12-31 23:00:00.000Z'],
  ['a zone of four letters that does not end in T', 'Mon, 01 Jan 2024 10:00:00 XYZW', ''],
  ['a zone of five letters', 'Mon, 01 Jan 2024 10:00:00 ABCDT', '2024-01-01 10:00:00.000Z'],
  ['hours behind GMT', 'Mon, 01 Jan 2024 10:00:00 GMT-3', '2024-01-01 07:00:00.000Z'],
  ['more hours than a day has', 'Mon, 01 Jan 2024 10:00:00 GMT+24', ''],
  ['a number', 1700000000, ''],
  ['words', 'Jan 2 2024', ''],
] as const)('%s: %s', (_, raw, stored) => expect(parseDate(raw)).toBe(stored))

test('an instant there and back', () => {
  const at = new Date('2026-11-20T07:00:00.123Z')
  expect(dateOf(formatDate(at))).toEqual(at)
  expect(dateOf('')).toBeUndefined()
})

test('limits are named as Go prints times', () => {
  const field = fieldOf('date', { min: '2024-01-01 00:00:00.000Z', max: '2024-12-31 00:00:00.500Z' })
  const { check } = fieldType(field)
  expect(check(field, '2023-12-31 00:00:00.000Z')).toEqual({
    code: 'validation_min_greater_equal_than_required',
    message: 'Must be no less than 2024-01-01 00:00:00 +0000 UTC.',
    params: { threshold: '2024-01-01T00:00:00Z' },
  })
  expect(check(field, '2024-12-31 00:00:00.501Z')).toEqual({
    code: 'validation_max_less_equal_than_required',
    message: 'Must be no greater than 2024-12-31 00:00:00.5 +0000 UTC.',
    params: { threshold: '2024-12-31T00:00:00.5Z' },
  })
  expect(check(field, '2024-12-31 00:00:00.500Z')).toBeUndefined()
  expect(check(field, '10000-01-01 00:00:00.000Z')?.code).toBe('validation_max_less_equal_than_required')
  expect(check(field, '-0001-01-01 00:00:00.000Z')?.code).toBe('validation_min_greater_equal_than_required')
})
