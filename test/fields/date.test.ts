import { dateOf, formatDate } from '../../src/fields/types/date.ts'
import { fieldType } from '../../src/fields/types/field-types.ts'
import { fieldOf } from './field.ts'

test('an instant there and back', () => {
  const at = new Date('2026-11-20T07:00:00.123Z')
  expect(dateOf(formatDate(at))).toEqual(at)
  expect(dateOf('')).toBeUndefined()
})

test('years beyond four digits are compared, too', () => {
  const field = fieldOf('date', { min: '2024-01-01 00:00:00.000Z', max: '2024-12-31 00:00:00.500Z' })
  const { check } = fieldType(field)
  expect(check(field, '10000-01-01 00:00:00.000Z')?.code).toBe('validation_max_less_equal_than_required')
  expect(check(field, '-0001-01-01 00:00:00.000Z')?.code).toBe('validation_min_greater_equal_than_required')
})
